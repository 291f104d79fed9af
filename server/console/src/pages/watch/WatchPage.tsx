import { useSearch } from 'wouter';
import { CallLayer } from '../../calls/CallLayer.tsx';
import { useSession } from '../../session/ParleyClient.tsx';
import { SessionProvider } from '../../session/SessionProvider.tsx';
import { RestoringSession } from '../../shell/RestoringSession.tsx';
import { Watch } from './Watch.tsx';
import { WatchFrame } from './WatchFrame.tsx';

/** The public page of a stream, with or without a wallet. */
export function WatchPage({ streamId }: { streamId: string }) {
  const session = useSession();
  const token = new URLSearchParams(useSearch()).get('token');
  if (session.phase === 'signingIn' && session.restoring) return <RestoringSession />;
  const isSignedIn = session.phase === 'signedIn';
  const address = isSignedIn ? session.address : null;
  const watch = (
    <WatchFrame key={address ?? 'guest'}>
      <Watch
        streamId={streamId}
        token={token}
        client={isSignedIn && address !== null ? session.client : null}
        address={address}
      />
    </WatchFrame>
  );
  if (!isSignedIn) return watch;
  return (
    <SessionProvider session={session}>
      <CallLayer>{watch}</CallLayer>
    </SessionProvider>
  );
}
