import { ParleyProvider } from '@parley/react';
import { useMantineColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useSearch } from 'wouter';
import { CallLayer } from '../../calls/CallLayer.tsx';
import { useSession } from '../../session/ParleyClient.tsx';
import { SessionProvider } from '../../session/SessionProvider.tsx';
import { RestoringSession } from '../../shell/RestoringSession.tsx';
import { report } from '../../ui/report.ts';
import { WatchedStream } from './WatchedStream.tsx';
import { WatchFrame } from './WatchFrame.tsx';

/** The public page of a stream, with or without a wallet. */
export function WatchPage({ streamId }: { streamId: string }) {
  const session = useSession();
  const { colorScheme } = useMantineColorScheme();
  const token = new URLSearchParams(useSearch()).get('token');
  const isSignedIn = session.phase === 'signedIn';
  const address = isSignedIn ? session.address : null;
  const before = useRef(address);
  useEffect(() => {
    // The button that signed in has gone with the page of the visitor, and the focus with it.
    if (before.current !== address && document.activeElement === document.body)
      document.querySelector('main')?.focus({ preventScroll: true });
    before.current = address;
  }, [address]);
  if (session.phase === 'signingIn' && session.restoring) return <RestoringSession />;
  const watch = (
    <WatchFrame key={address ?? 'guest'}>
      <WatchedStream streamId={streamId} token={token} />
    </WatchFrame>
  );
  if (!isSignedIn) {
    return (
      <ParleyProvider theme={colorScheme} onError={report}>
        {watch}
      </ParleyProvider>
    );
  }
  return (
    <SessionProvider session={session}>
      <CallLayer>{watch}</CallLayer>
    </SessionProvider>
  );
}
