import { ParleyError } from '../../sdk/protocol/errors.ts';

const dayMs = 24 * 60 * 60_000;

interface PeriodQuery {
  from?: string | undefined;
  to?: string | undefined;
}

/** A day given as `to` is meant whole. */
export function endOf(text: string): Date {
  const isDay = !text.includes('T');
  return new Date(new Date(text).getTime() + (isDay ? dayMs : 0));
}

/** @throws ParleyError VALIDATION_ERROR where it ends before it begins, or is too long */
export function readPeriod(
  query: PeriodQuery,
  { defaultDays, longestDays }: { defaultDays: number; longestDays: number },
): { from: Date; to: Date } {
  const to = query.to === undefined ? new Date() : endOf(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - defaultDays * dayMs) : new Date(query.from);
  if (from > to) throw wrong('from is after to');
  if (to.getTime() - from.getTime() > longestDays * dayMs)
    throw wrong(`a period is at most ${longestDays} days`);
  return { from, to };
}

const wrong = (message: string) =>
  new ParleyError('VALIDATION_ERROR', `from: ${message}`, {
    details: [{ path: 'from', code: 'invalid_range', message }],
  });
