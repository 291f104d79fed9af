import type { Usage } from '@parley/sdk';

/** The unit in which usage is shown. */
export type Measure = 'requests' | 'credits';

type Row = Usage['data'][number];

export interface UsageDay {
  /** The day in UTC, at its midnight. */
  day: Date;
  requests: number;
  credits: number;
}

const dayMs = 24 * 60 * 60_000;

/** The last `count` UTC days including today, as a period in the form that the usage route expects. */
export function lastDays(count: number, now: Date): { from: string; to: string } {
  const text = (moment: number) => new Date(moment).toISOString().slice(0, 10);
  return { from: text(now.getTime() - (count - 1) * dayMs), to: text(now.getTime()) };
}

/** Returns an entry for each day of the period, including days without usage. */
export function byDay({ from, to, data }: Pick<Usage, 'from' | 'to' | 'data'>): UsageDay[] {
  const days: UsageDay[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += dayMs) {
    const day = new Date(at);
    const bucket = day.toISOString().slice(0, 10);
    days.push({ day, ...sumOf(data.filter((row) => row.bucket === bucket)) });
  }
  return days;
}

export interface UsageShare {
  bucket: string;
  requests: number;
  credits: number;
}

/** Returns the sums of each service or key, largest first. */
export function byBucket(data: Row[], measure: Measure): UsageShare[] {
  const buckets = [...new Set(data.map(({ bucket }) => bucket))];
  return buckets
    .map((bucket) => ({ bucket, ...sumOf(data.filter((row) => row.bucket === bucket)) }))
    .sort((a, b) => b[measure] - a[measure]);
}

const sumOf = (rows: Row[]) => ({
  requests: rows.reduce((sum, row) => sum + row.requests, 0),
  credits: rows.reduce((sum, row) => sum + row.credits, 0),
});
