import { ParleyProvider, ProblemAlert, Room, useSession, type Problem } from '@parley/react';
import { Loader, useComputedColorScheme } from '@mantine/core';
import { useEffect, useState } from 'react';
import { takeToken } from '../../guests/participantToken.ts';
import { RoomLayer } from '../../rooms/RoomLayer.tsx';
import { ColourSchemeToggle } from '../../shell/ColourSchemeToggle.tsx';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { VisitorFrame } from '../../shell/VisitorFrame.tsx';
import { report } from '../../ui/report.ts';
import { PageTitle } from '../rooms/RoomPage.tsx';
import { WatchedStream } from '../watch/WatchedStream.tsx';
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
  const theme = useComputedColorScheme('light');
  // Another link that is opened in this tab changes only the fragment, which does not reload the page.
  useEffect(() => {
    const take = () => setToken(takeToken());
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  if (token === null) return <Failed problem={noToken} />;
  return (
    <ParleyProvider key={token} participantToken={token} theme={theme} onError={report}>
      <Visit />
    </ParleyProvider>
  );
}

function Visit() {
  const { guest, problem, retry } = useSession();
  const onRetry = () => void retry();
  // What the link opens stays there when the session ends, and says why.
  const [visited, setVisited] = useState(guest);
  if (guest && guest !== visited) setVisited(guest);
  if (!visited) return problem ? <Failed problem={problem} onRetry={onRetry} /> : <Opening />;
  if (visited.subjectId.startsWith('str_')) {
    if (problem) return <Failed problem={problem} onRetry={onRetry} />;
    return (
      <VisitorFrame>
        <WatchedStream streamId={visited.subjectId} />
      </VisitorFrame>
    );
  }
  return (
    <RoomLayer>
      <VisitorFrame>
        <Room id={visited.subjectId} isFullWindow tools={<ColourSchemeToggle />}>
          <PageTitle />
        </Room>
      </VisitorFrame>
    </RoomLayer>
  );
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
