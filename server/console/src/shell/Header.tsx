import { Link } from 'wouter';
import { Logo } from '../ui/Logo.tsx';
import { ColourSchemeToggle } from './ColourSchemeToggle.tsx';
import classes from './Shell.module.css';
import { WalletMenu } from './WalletMenu.tsx';

export function Header() {
  return (
    <header className={classes['header']}>
      <Link href="/" className={classes['brand']} aria-label="Parley, home">
        <Logo />
        <span className={classes['name']}>Parley</span>
      </Link>
      <ColourSchemeToggle />
      <WalletMenu />
    </header>
  );
}
