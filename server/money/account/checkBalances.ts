import { sql, type SQL } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../../../platform/database/database.ts';
import type { Executor } from '../../../platform/database/Executor.ts';

interface WrongAccount extends Record<string, unknown> {
  id: string;
  credits: string;
  ledger: string;
  reserved: string;
  held: string;
}

interface Checksum extends Record<string, unknown> {
  credits: string | number | null;
  reserved: string | number | null;
}

const shown = 20;
/** How many pages of a table (of 8 kB) one statement reads, so that none takes long. */
const pagesAtOnce = 20_000;

const change = sql`CASE type WHEN 'debit' THEN -amount ELSE amount END`;
/** What is summed up for each account: its balance, and what is reserved. */
const sums = {
  ledger: sql`sum(${change}), 0 FROM ledger WHERE true`,
  reservations: sql`0, sum(amount) FROM reservations WHERE status = 'held'`,
};

/**
 * The same, where each account counts with a number of its own: the sum over all accounts is right only if all accounts are. A wrong one
 * goes unnoticed once in 2^64 times.
 */
const weight = (account: SQL) => sql`hashtextextended(${account}, 0)::numeric`;
const checksums = {
  ledger: sql`sum(${change} * ${weight(sql`account_id`)}) AS credits, 0 AS reserved FROM ledger WHERE true`,
  reservations: sql`0 AS credits, sum(amount * ${weight(sql`account_id`)}) AS reserved FROM reservations WHERE status = 'held'`,
  accounts: sql`sum(-credits * ${weight(sql`id`)}) AS credits, sum(-reserved * ${weight(sql`id`)}) AS reserved FROM accounts WHERE true`,
};

/**
 * Checks that each account's balance is the sum of its ledger, and that its reserved credits are the sum of its held reservations. Accounts
 * where this is wrong are logged as errors for the operator. It reads the whole ledger, as it was at one moment.
 * @returns the number of wrong accounts, at most 20
 */
export async function checkBalances(db: Pick<Database, 'transaction'>, log: Logger): Promise<number> {
  if (await areRight(db)) return 0;
  const wrong = await findWrong(db);
  for (const account of wrong) log.error({ account }, 'balance differs from the sum of its ledger');
  return wrong.length;
}

/**
 * Whether the balances of all accounts are right. It writes nothing, and so it gets no transaction number: GET /webhooks/events shows no event
 * that is newer than the oldest transaction with a number (see eventOrder.ts), and reading the ledger may take minutes.
 */
function areRight(db: Pick<Database, 'transaction'>): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      let [credits, reserved] = [0n, 0n];
      for (const [table, sum] of Object.entries(checksums))
        for (const pages of await pagesOf(tx, table)) {
          const { rows } = await tx.execute<Checksum>(sql`SELECT ${sum} AND ${pages}`);
          credits += BigInt(rows[0]?.credits ?? 0);
          reserved += BigInt(rows[0]?.reserved ?? 0);
        }
      return credits === 0n && reserved === 0n;
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );
}

function findWrong(db: Pick<Database, 'transaction'>): Promise<WrongAccount[]> {
  return db.transaction(
    async (tx) => {
      await tx.execute(
        sql`CREATE TEMPORARY TABLE sums (account_id text, ledger numeric, held numeric) ON COMMIT DROP`,
      );
      for (const [table, sum] of Object.entries(sums))
        for (const pages of await pagesOf(tx, table))
          await tx.execute(sql`INSERT INTO sums SELECT account_id, ${sum} AND ${pages} GROUP BY 1`);
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
}

/** Conditions that each match the rows of some pages of a table, and together all of its rows. */
async function pagesOf(tx: Executor, table: string): Promise<SQL[]> {
  const { rows } = await tx.execute<{ pages: number }>(
    sql`SELECT (pg_relation_size(${table}) / current_setting('block_size')::int)::int AS pages`,
  );
  const count = Math.ceil((rows[0]?.pages ?? 0) / pagesAtOnce);
  return Array.from({ length: count }, (_, index) => {
    const first = index * pagesAtOnce;
    return sql`ctid >= ${`(${first},0)`}::tid AND ctid < ${`(${first + pagesAtOnce},0)`}::tid`;
  });
}
