import type { ReactNode } from 'react';
import { useSession } from '../../session/ParleyClient.tsx';
import { ConnectionBanner } from '../../shell/ConnectionBanner.tsx';
import { VisitorFrame } from '../../shell/VisitorFrame.tsx';
import { WalletMenu } from '../../shell/WalletMenu.tsx';

/** The frame of a stream's page, with the wallet menu of a signed-in viewer. */
export function WatchFrame({ children }: { children: ReactNode }) {
  const isSignedIn = useSession().phase === 'signedIn';
  return (
    <VisitorFrame tools={isSignedIn && <WalletMenu />} banner={isSignedIn && <ConnectionBanner />}>
      {children}
    </VisitorFrame>
  );
}
