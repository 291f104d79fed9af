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
/** How many pages of a table (of 8 kB) one statement reads, so that none takes long. */
const pagesAtOnce = 20_000;

/** What is summed up for each account: its balance, and what is reserved. */
const sums = {
  ledger: sql`sum(CASE type WHEN 'debit' THEN -amount ELSE amount END), 0 FROM ledger WHERE true`,
  reservations: sql`0, sum(amount) FROM reservations WHERE status = 'held'`,
};

/**
 * Checks that each account's balance is the sum of its ledger, and that its reserved credits are the sum of its held reservations. Accounts
 * where this is wrong are logged as errors for the operator. It reads the whole ledger, as it was at one moment.
 * @returns the number of wrong accounts, at most 20
 */
export async function checkBalances(db: Pick<Database, 'transaction'>, log: Logger): Promise<number> {
  const wrong = await db.transaction(
    async (tx) => {
      await tx.execute(
        sql`CREATE TEMPORARY TABLE sums (account_id text, ledger numeric, held numeric) ON COMMIT DROP`,
      );
      for (const [table, sum] of Object.entries(sums)) {
        const { rows } = await tx.execute<{ pages: number }>(
          sql`SELECT (pg_relation_size(${table}) / current_setting('block_size')::int)::int AS pages`,
        );
        for (let page = 0; page < (rows[0]?.pages ?? 0); page += pagesAtOnce)
          await tx.execute(sql`
            INSERT INTO sums SELECT account_id, ${sum}
            AND ctid >= ${`(${page},0)`}::tid AND ctid < ${`(${page + pagesAtOnce},0)`}::tid GROUP BY 1`);
      }
      const compared = await tx.execute<WrongAccount>(sql`
        SELECT id, credits, coalesce(s.ledger, 0) AS ledger, reserved, coalesce(s.held, 0) AS held
        FROM accounts
        LEFT JOIN (SELECT account_id, sum(ledger) AS ledger, sum(held) AS held FROM sums GROUP BY 1) s
          ON account_id = id
        WHERE credits <> coalesce(s.ledger, 0) OR reserved <> coalesce(s.held, 0)
        LIMIT ${shown}`);
      return compared.rows;
    },
    { isolationLevel: 'repeatable read' },
  );
  for (const account of wrong) log.error({ account }, 'balance differs from the sum of its ledger');
  return wrong.length;
}
