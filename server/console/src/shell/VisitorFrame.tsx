import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Logo } from '../ui/Logo.tsx';
import { ColourSchemeToggle } from './ColourSchemeToggle.tsx';
import { pagePaths } from './paths.ts';
import classes from './Shell.module.css';

interface Props {
  /** Shown at the end of the header. */
  tools?: ReactNode;
  /** Shown below the header. */
  banner?: ReactNode;
  children: ReactNode;
}

/** The frame of the pages that open for everyone: a header with a link to the home page, without navigation. */
export function VisitorFrame({ tools, banner, children }: Props) {
  // A guest's page does not sign in. The home page does, after a reload.
  const Home = location.pathname === pagePaths.join[0] ? 'a' : Link;
  return (
    <div className={classes['shell']}>
      <header className={classes['header']}>
        <Home href="/" className={classes['brand']} aria-label="Parley, home">
          <Logo />
          Parley
        </Home>
        <ColourSchemeToggle />
        {tools}
      </header>
      {banner}
      <main className={classes['visited']} tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
