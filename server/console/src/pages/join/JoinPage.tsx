import { ProblemAlert, useStore } from '@parley/react';
import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { GuestVisit, type VisitState } from '../../guests/GuestVisit.ts';
import { takeToken } from '../../guests/participantToken.ts';
import { RoomOver } from '../../rooms/RoomLayer.tsx';
import { RoomContext } from '../../rooms/useRoom.ts';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { VisitorFrame } from '../../shell/VisitorFrame.tsx';
import type { Problem } from '../../ui/explain.ts';
import { report } from '../../ui/report.ts';
import { OutsideRoom } from '../rooms/RoomPage.tsx';
import { Watch } from '../watch/Watch.tsx';
import classes from './JoinPage.module.css';

const noToken: Problem = {
  code: 'UNKNOWN',
  title: 'This link is incomplete',
  advice: 'Copy the whole link again, or ask your host for a new one.',
  canRetry: false,
};

/** The page of a guest's link: a room or a stream, without a wallet and without signing in. */
export function JoinPage() {
  const [token, setToken] = useState(takeToken);
  // Another link that is opened in this tab changes only the fragment, which does not reload the page.
  useEffect(() => {
    const take = () => setToken(takeToken());
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  if (token === null) return <Failed problem={noToken} />;
  return <Visit key={token} token={token} />;
}

function Visit({ token }: { token: string }) {
  const [visit] = useState(() => new GuestVisit(token, report));
  useEffect(() => {
    void visit.open();
    return () => visit.close();
  }, [visit]);
  return <Visiting visit={visit} state={useStore(visit.store)} />;
}

function Visiting({ visit, state }: { visit: GuestVisit; state: VisitState }) {
  switch (state.phase) {
    case 'opening':
      return <Opening />;
    case 'failed':
      return <Failed problem={state.problem} onRetry={() => void visit.open()} />;
    case 'room':
      return (
        <RoomOver controller={state.room}>
          <RoomContext value={state.room}>
            <VisitorFrame>
              <OutsideRoom />
            </VisitorFrame>
          </RoomContext>
        </RoomOver>
      );
    case 'stream':
      return (
        <VisitorFrame>
          <Watch
            streamId={state.guest.subjectId}
            client={state.client}
            address={state.address}
            guest={state.guest}
          />
        </VisitorFrame>
      );
  }
}

function Opening() {
  usePageTitle('Join');
  return (
    <VisitorFrame>
      <div className={classes['opening']}>
        <span role="status">Opening your link…</span>
        <Loader size="sm" type="dots" />
      </div>
    </VisitorFrame>
  );
}

function Failed({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  usePageTitle('Join');
  return (
    <VisitorFrame>
      <div className={classes['failed']}>
        <h1>You cannot join</h1>
        <ProblemAlert problem={problem} onRetry={onRetry} />
      </div>
    </VisitorFrame>
  );
}
