import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { RetentionRule } from '../registry/TableData.ts';

/** The number of accounts per batch, and of entries that one statement sums up. */
const [accountsAtOnce, entriesAtOnce] = [20, 5_000];

/**
 * Sums up old debits and refunds of an account into one entry, so that the balance stays the sum of the ledger. The newest of them becomes
 * that entry, with its place and its balance. Credits stay, because a credit is granted only once for each reference.
 */
export const compactLedger: RetentionRule = {
  setting: 'KEEP_LEDGER_DAYS',
  find: (before) => sql`
    SELECT account_id, ${before.toISOString()} AS before FROM ledger
    WHERE created_at < ${before.toISOString()}::timestamptz AND type <> 'credit' AND reference_type <> 'carried'
    LIMIT ${sql.raw(String(accountsAtOnce))}`,
  async remove(tx, rows) {
    const wanted = [...new Set(rows.map(({ account_id: id }) => String(id)))].sort();
    for (const accountId of wanted) await compact(tx, accountId, String(rows[0]?.['before']));
  },
};

async function compact(tx: Executor, accountId: string, before: string): Promise<void> {
  await tx.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
  await tx.execute(sql`
    WITH old AS (
      SELECT id, seq, CASE type WHEN 'debit' THEN -amount ELSE amount END AS change FROM ledger
      WHERE account_id = ${accountId} AND created_at < ${before}::timestamptz AND type <> 'credit'
      ORDER BY seq LIMIT ${sql.raw(String(entriesAtOnce))}
    ), whole AS (
      SELECT sum(change) AS change, max(seq) AS seq FROM old
    ), carried AS (
      UPDATE ledger SET type = CASE WHEN whole.change < 0 THEN 'debit' ELSE 'refund' END, amount = abs(whole.change),
        service = 'ledger', description = 'Earlier debits and refunds', reference_type = 'carried', reference_id = ledger.id,
        api_key_prefix = NULL
      FROM whole JOIN old ON old.seq = whole.seq WHERE ledger.id = old.id AND whole.change <> 0
      RETURNING ledger.id
    )
    DELETE FROM ledger USING old WHERE ledger.id = old.id AND old.id NOT IN (SELECT id FROM carried)`);
}
