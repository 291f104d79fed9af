import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';

interface WrongAccount extends Record<string, unknown> {
  id: string;
  credits: string;
  ledger: string;
  reserved: string;
  held: string;
}

const shown = 20;

/**
 * Runs when the server starts. Checks that each account's balance is the sum of its ledger, and that its reserved credits are the sum of
 * its held reservations. Accounts where this is wrong are logged as errors for the operator; the server still starts.
 * @returns the number of wrong accounts, at most 20
 */
export async function checkBalances(db: Database, log: Logger): Promise<number> {
  const { rows } = await db.execute<WrongAccount>(sql`
    SELECT a.id, a.credits, coalesce(l.sum, 0) AS ledger, a.reserved, coalesce(r.sum, 0) AS held
    FROM accounts a
    LEFT JOIN (SELECT account_id, sum(CASE type WHEN 'debit' THEN -amount ELSE amount END) FROM ledger GROUP BY 1) l
      ON l.account_id = a.id
    LEFT JOIN (SELECT account_id, sum(amount) FROM reservations WHERE status = 'held' GROUP BY 1) r
      ON r.account_id = a.id
    WHERE a.credits <> coalesce(l.sum, 0) OR a.reserved <> coalesce(r.sum, 0)
    LIMIT ${shown}`);
  for (const account of rows) log.error({ account }, 'balance differs from the sum of its ledger');
  return rows.length;
}
