import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import type { Parley } from '@parley/sdk';
import { CallLayer } from '../../calls/CallLayer.tsx';
import { SignedInContext, useSession } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { RestoringSession } from '../../shell/RestoringSession.tsx';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import { WatchController } from '../../streams/watch/WatchController.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { rememberedName } from '../rooms/rememberedName.ts';
import { WatchFrame } from './WatchFrame.tsx';
import { WatchView } from './WatchView.tsx';

/** The public page of a stream, with or without a wallet. */
export function WatchPage({ streamId }: { streamId: string }) {
  const session = useSession();
  if (session.phase === 'signingIn' && session.restoring) return <RestoringSession />;
  if (session.phase !== 'signedIn')
    return <Watch key="guest" streamId={streamId} client={null} address={null} />;
  const { client, address } = session;
  return (
    <SignedInContext value={session}>
      <CallLayer>
        <Watch
          key={address ?? 'guest'}
          streamId={streamId}
          client={address === null ? null : client}
          address={address}
        />
      </CallLayer>
    </SignedInContext>
  );
}

interface WatchProps {
  streamId: string;
  client: Parley | null;
  address: string | null;
}

function Watch({ streamId, client, address }: WatchProps) {
  const token = new URLSearchParams(useSearch()).get('token');
  const [controller] = useState(
    () => new WatchController({ streamId, token, client, displayName: rememberedName() }),
  );
  useEffect(() => {
    void controller.open();
    const leave = () => controller.close();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [controller]);
  return (
    <WatchFrame>
      <Watching controller={controller} address={address} />
    </WatchFrame>
  );
}

function Watching({ controller, address }: { controller: WatchController; address: string | null }) {
  const state = useStore(controller.store);
  usePageTitle(state.stream?.title ?? 'Stream');
  if (state.phase === 'missing' && state.problem)
    return <ProblemAlert problem={state.problem} onRetry={() => void controller.open()} />;
  if (!state.stream) return <LoadingRows what="the stream" rows={2} height={200} />;
  return <WatchView controller={controller} state={state} stream={state.stream} address={address} />;
}
