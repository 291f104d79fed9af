import { formatPhoneNumber } from './phoneNumbers.ts';
import classes from './Phone.module.css';

/** A phone number as people write it, in one piece. */
export function PhoneNumberText({ value }: { value: string }) {
  return <span className={classes['number']}>{formatPhoneNumber(value)}</span>;
}
