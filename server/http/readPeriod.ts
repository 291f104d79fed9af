import { earliest, latest } from '../../sdk/protocol/common.ts';
import { badField } from './refusals.ts';

const dayMs = 24 * 60 * 60_000;

interface PeriodQuery {
  from?: string | undefined;
  to?: string | undefined;
}

/** The end of a period. A date without a time includes the whole day. */
export function endOf(text: string): Date {
  const isDay = !text.includes('T');
  return new Date(Math.min(new Date(text).getTime() + (isDay ? dayMs : 0), latest.getTime()));
}

/** @throws ParleyError VALIDATION_ERROR for a period that is too long or ends before it starts */
export function readPeriod(
  query: PeriodQuery,
  { defaultDays, longestDays }: { defaultDays: number; longestDays: number },
): { from: Date; to: Date } {
  const to = query.to === undefined ? new Date() : endOf(query.to);
  const usual = Math.max(to.getTime() - defaultDays * dayMs, earliest.getTime());
  const from = new Date(query.from ?? usual);
  if (from > to) throw wrong('from must not be after to');
  if (to.getTime() - from.getTime() > longestDays * dayMs)
    throw wrong(`the period must be at most ${longestDays} days`);
  return { from, to };
}

const wrong = (message: string) => badField('from', 'invalid_range', message);
