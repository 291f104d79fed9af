/** Formats a duration like a clock, for example as 0:07, 12:34 or 1:02:03. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  const hours = Math.floor(whole / 3600);
  if (hours > 0) parts.unshift(hours);
  return parts.map((part, index) => (index === 0 ? `${part}` : `${part}`.padStart(2, '0'))).join(':');
}

/** Formats a duration with units, for example as 7 s, 12 min 34 s or 1 h 2 min. */
export function spokenDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return join(Math.floor(whole / 60), 'min', whole % 60, 's');
  return join(Math.floor(whole / 3600), 'h', Math.floor(whole / 60) % 60, 'min');
}

function join(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

const steps: [limitSeconds: number, unit: Intl.RelativeTimeFormatUnit, unitSeconds: number][] = [
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [7 * 86_400, 'day', 86_400],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** Describes how long ago a moment was, for example as just now, 5 min. ago or yesterday. After a week, it is a date. */
export function ago(moment: Date, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - moment.getTime()) / 1000);
  if (seconds < 60) return 'just now';
  for (const [limit, unit, size] of steps) {
    if (seconds < limit) return relative.format(-Math.floor(seconds / size), unit);
  }
  return moment.toLocaleDateString('en', { day: 'numeric', month: 'short', year: 'numeric' });
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const shortTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** For example Nov 20, 2026, in the language of the browser. */
export const onDay = (date: Date): string => day.format(date);
/** For example Nov 20, 2026, 8:30:42 PM, in the language of the browser. */
export const atMoment = (date: Date): string => moment.format(date);
/** For example 8:30 PM, in the language of the browser. */
export const atClock = (date: Date): string => shortTime.format(date);
