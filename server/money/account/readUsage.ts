import { sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { usageQuery, WireAccountUsage } from '../../../sdk/protocol/account.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { Database } from '../../../platform/database/database.ts';
import { readPeriod } from '../../http/readPeriod.ts';
import { usageProgress } from './tables.ts';
import { usageSources } from './UsageSums.ts';

interface Row extends Record<string, unknown> {
  bucket: string;
  service: string;
  requests: number;
  units: number;
  credits: number;
}

const defaultDays = 30;
const longestDays = 366;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The expressions by which rows are grouped. */
const buckets = {
  day: sql`to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  service: sql`service`,
  key: sql`key`,
};

/**
 * Reads the usage in a period: requests and units from the audit log, credits from the ledger. A refund is subtracted at the time of the
 * refund. Grants are not included, and neither are credits taken back after a refunded payment.
 *
 * Whole days and whole hours are read from their sums (see UsageSums) and from the rows that are not summed up yet, and the parts of an
 * hour at the ends of the period from all of their rows.
 */
export async function readUsage(
  db: Database,
  accountId: string,
  query: z.output<typeof usageQuery>,
): Promise<WireAccountUsage> {
  const { from, to } = readPeriod(query, { defaultDays, longestDays });
  const groupBy = query.groupBy ?? 'day';
  const isUntilNow = query.to === undefined;
  const [wholeFrom, wholeTo] = whole(hourMs, from, to, isUntilNow);
  const [daysFrom, daysTo] = whole(dayMs, wholeFrom, wholeTo, isUntilNow);
  // One snapshot for both statements, so that no row is read twice or left out if it is summed up meanwhile.
  const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;
  const data = await db.transaction(async (tx) => {
    // A statement of its own, because PostgreSQL then knows when it plans the next one that few rows follow these.
    const progress = await tx.select().from(usageProgress);
    const summedUntil = (name: keyof typeof usageSources) =>
      progress.find(({ source }) => source === name)?.summedUntil ?? 0;
    // MATERIALIZED, because only `seq` finds these rows: by their time, all rows of the period would be read.
    const { rows } = await tx.execute<Row>(sql`
      WITH new AS MATERIALIZED (
        SELECT * FROM ${usageSources.requests} AS used WHERE account_id = ${accountId} AND seq > ${summedUntil('requests')}
        UNION ALL
        SELECT * FROM ${usageSources.movements} AS used WHERE account_id = ${accountId} AND seq > ${summedUntil('movements')}
      )
      SELECT ${buckets[groupBy]} AS bucket, service, sum(requests)::float8 AS requests, sum(units)::float8 AS units, sum(credits)::float8 AS credits
      FROM (
        SELECT day AS at, service, key, requests, units, credits FROM usage_days
        WHERE account_id = ${accountId} AND ${within('day', daysFrom, daysTo)}
        UNION ALL
        SELECT hour AS at, service, key, requests, units, credits FROM usage_hours
        WHERE account_id = ${accountId} AND (${within('hour', wholeFrom, daysFrom)} OR ${within('hour', daysTo, wholeTo)})
        UNION ALL
        SELECT at, service, key, requests, units, credits FROM new WHERE ${within('at', wholeFrom, wholeTo)}
        UNION ALL
        SELECT at, service, key, requests, units, credits FROM ${usageSources.requests} AS used
        WHERE account_id = ${accountId} AND (${within('at', from, wholeFrom)} OR ${within('at', wholeTo, to)})
        UNION ALL
        SELECT at, service, key, requests, units, credits FROM ${usageSources.movements} AS used
        WHERE account_id = ${accountId} AND (${within('at', from, wholeFrom)} OR ${within('at', wholeTo, to)})
      ) AS used
      GROUP BY bucket, service ORDER BY bucket, service`);
    return rows;
  }, snapshot);
  const total = (name: 'requests' | 'units' | 'credits') => data.reduce((sum, row) => sum + row[name], 0);
  const totals = { requests: total('requests'), units: total('units'), credits: total('credits') };
  return { from: toIso(from), to: toIso(to), groupBy, totals, data };
}

/**
 * @param isUntilNow whether the period has no end: its last hour or day then counts as a whole, because it has no later rows
 * @returns the start and the end of the whole hours or days in a period, which are the same time if there are none
 */
function whole(unitMs: number, from: Date, to: Date, isUntilNow: boolean): [Date, Date] {
  const start = Math.min(Math.ceil(from.getTime() / unitMs) * unitMs, to.getTime());
  const end = (isUntilNow ? Math.ceil(to.getTime() / unitMs) : Math.floor(to.getTime() / unitMs)) * unitMs;
  return [new Date(start), new Date(Math.max(start, end))];
}

const within = (column: 'at' | 'hour' | 'day', from: Date, to: Date) =>
  sql`${sql.raw(column)} >= ${from.toISOString()} AND ${sql.raw(column)} < ${to.toISOString()}`;
