import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useSession } from '../../session/ParleyClient.tsx';
import { ConnectionBanner } from '../../shell/ConnectionBanner.tsx';
import { ColourSchemeToggle } from '../../shell/ColourSchemeToggle.tsx';
import shell from '../../shell/Shell.module.css';
import { WalletMenu } from '../../shell/WalletMenu.tsx';
import { Logo } from '../../ui/Logo.tsx';
import classes from './WatchPage.module.css';

/** The frame of a stream's page: a header with a link to the home page and the wallet menu. */
export function WatchFrame({ children }: { children: ReactNode }) {
  const isSignedIn = useSession().phase === 'signedIn';
  return (
    <div className={shell['shell']}>
      <header className={shell['header']}>
        <Link href="/" className={shell['brand']} aria-label="Parley, home">
          <Logo />
          Parley
        </Link>
        <ColourSchemeToggle />
        {isSignedIn && <WalletMenu />}
      </header>
      {isSignedIn && <ConnectionBanner />}
      <main className={classes['page']} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
