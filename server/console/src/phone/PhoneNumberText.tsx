import { formatPhoneNumber } from './phoneNumbers.ts';
import classes from './Phone.module.css';

/** A phone number in international format, without line breaks. */
export function PhoneNumberText({ value }: { value: string }) {
  return <span className={classes['number']}>{formatPhoneNumber(value)}</span>;
}
