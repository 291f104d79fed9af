import { Loader } from '@mantine/core';
import { Logo } from '../ui/Logo.tsx';
import classes from './Shell.module.css';

/** Shown while a reloaded page signs in again automatically. */
export function RestoringSession() {
  return (
    <main className={classes['opening']}>
      <Logo size={48} />
      <span role="status">Signing you in again…</span>
      <Loader size="sm" type="dots" />
    </main>
  );
}
