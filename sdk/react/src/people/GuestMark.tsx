import { useWords } from '../words/WordsContext.tsx';
import classes from './People.module.css';

/** Marks a person who has no wallet, but came with a link of the host. */
export function GuestMark() {
  const { guest, guestHint } = useWords().common;
  return (
    <span className={classes['guestMark']} title={guestHint}>
      {guest}
    </span>
  );
}
