/* Numbers and moments as the browser's language writes them. */

const whole = new Intl.NumberFormat();
const dollars = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'code',
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

/** 12,345 */
export const inDigits = (value: number): string => whole.format(value);
/** +12, -3 */
export const withSign = (value: number): string => signed.format(value);
/** So many of what costs so much each: USD 5.00 */
export const inDollars = (count: number, each: string): string => dollars.format(count * Number(each));
/** Nov 20, 2026 */
export const onDay = (date: Date): string => day.format(date);
/** Nov 20, 2026, 8:30:42 PM */
export const atMoment = (date: Date): string => moment.format(date);
/** 8:30:42 PM */
export const atTime = (date: Date): string => time.format(date);

/** 1 credit, 2 credits */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${inDigits(value)} ${Math.abs(value) === 1 ? one : many}`;
