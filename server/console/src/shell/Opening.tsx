import { Loader } from '@mantine/core';
import { Mark } from '../ui/Mark.tsx';
import classes from './Shell.module.css';

/** While a reloaded page signs in again by itself. */
export function Opening() {
  return (
    <main className={classes['opening']}>
      <Mark size={48} />
      <span role="status">Signing you in again…</span>
      <Loader size="sm" type="dots" />
    </main>
  );
}
