import { sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { usageQuery, WireAccountUsage } from '../../../sdk/protocol/account.ts';
import { toIso } from '../../../sdk/protocol/common.ts';
import type { Database } from '../../../platform/database/database.ts';
import { readPeriod } from '../../http/readPeriod.ts';

interface Row extends Record<string, unknown> {
  bucket: string;
  service: string;
  requests: number;
  units: number;
  credits: number;
}

const defaultDays = 30;
const longestDays = 366;

/** The expressions by which rows are grouped. */
const buckets = {
  day: {
    request: sql`to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    movement: sql`to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  },
  service: { request: sql`service`, movement: sql`service` },
  key: {
    request: sql`coalesce(actor_prefix, 'session')`,
    movement: sql`coalesce(api_key_prefix, 'session')`,
  },
};

/**
 * Reads the usage in a period: requests and units from the audit log, credits from the ledger. A refund is subtracted at the time of the
 * refund. Grants are not included, and neither are credits taken back after a refunded payment.
 */
export async function readUsage(
  db: Database,
  accountId: string,
  query: z.output<typeof usageQuery>,
): Promise<WireAccountUsage> {
  const { from, to } = readPeriod(query, { defaultDays, longestDays });
  const groupBy = query.groupBy ?? 'day';
  const { request, movement } = buckets[groupBy];
  const { rows: data } = await db.execute<Row>(sql`
    SELECT bucket, service, sum(requests)::int AS requests, sum(units)::int AS units, sum(credits)::float8 AS credits
    FROM (
      SELECT ${request} AS bucket, service, 1 AS requests, coalesce(units, 0) AS units, 0 AS credits
      FROM audit_log
      WHERE account_id = ${accountId} AND action = 'request' AND at >= ${from.toISOString()} AND at < ${to.toISOString()}
      UNION ALL
      SELECT ${movement}, service, 0, 0, CASE type WHEN 'debit' THEN amount ELSE -amount END
      FROM ledger
      WHERE account_id = ${accountId} AND type <> 'credit' AND reference_type <> 'payment_reversed'
        AND created_at >= ${from.toISOString()} AND created_at < ${to.toISOString()}
    ) AS used
    GROUP BY bucket, service ORDER BY bucket, service`);
  const total = (name: 'requests' | 'units' | 'credits') => data.reduce((sum, row) => sum + row[name], 0);
  const totals = { requests: total('requests'), units: total('units'), credits: total('credits') };
  return { from: toIso(from), to: toIso(to), groupBy, totals, data };
}
