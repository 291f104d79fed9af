/* Formats numbers and times for the browser's language. */

export { atMoment, onDay } from '@parley/react';

const whole = new Intl.NumberFormat();
const dollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'code',
});
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

/** For example 12,345. */
export const inDigits = (value: number): string => whole.format(value);
/** For example +12 or -3. */
export const withSign = (value: number): string => signed.format(value);
/** The price of `count` units at `each` dollars, for example USD 5.00. */
export const inDollars = (count: number, each: string): string => dollars.format(count * Number(each));
/** For example 8:30:42 PM. */
export const atTime = (date: Date): string => time.format(date);

/** A number with its unit, for example 1 credit or 2 credits. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${inDigits(value)} ${Math.abs(value) === 1 ? one : many}`;
