import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';

/**
 * Whether an account was never used: it has no movement of credits except the one at sign-up, no key, plan or Stripe customer, and was
 * never the host of a room or stream without a wallet. The caller must have locked the row of the account, so that none of these can be created at the same time.
 */
export async function isUnused(tx: Executor, accountId: string): Promise<boolean> {
  const { rows } = await tx.execute<{ used: boolean }>(sql`
    SELECT EXISTS (SELECT FROM ledger WHERE account_id = ${accountId} AND reference_type <> 'signup')
      OR EXISTS (SELECT FROM api_keys WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM rooms WHERE host = ${`account:${accountId}`})
      OR EXISTS (SELECT FROM streams WHERE host = ${`account:${accountId}`})
      OR EXISTS (SELECT FROM subscriptions WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM stripe_customers WHERE account_id = ${accountId}) AS used`);
  return rows[0]?.used === false;
}
