import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';

/**
 * Whether an account was never used: it has no movement of credits except the one at sign-up, no key, webhook endpoint, plan or Stripe
 * customer, and was never the host of a room, stream or recording without a wallet. What belongs to its wallet does not count, because that
 * moves with the wallet. An account whose deletion was requested counts as used, because the erasure would no longer find what the identity
 * takes along, and so does a blocked one, because the identity would escape the block.
 *
 * The caller must have locked the row of the account, so that none of these can be created at the same time.
 */
export async function isUnused(tx: Executor, accountId: string): Promise<boolean> {
  const host = `account:${accountId}`;
  const { rows } = await tx.execute<{ used: boolean }>(sql`
    SELECT EXISTS (SELECT FROM ledger WHERE account_id = ${accountId} AND reference_type <> 'signup')
      OR EXISTS (SELECT FROM api_keys WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM webhook_endpoints WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM rooms WHERE host = ${host})
      OR EXISTS (SELECT FROM streams WHERE host = ${host})
      OR EXISTS (SELECT FROM recordings WHERE host = ${host})
      OR EXISTS (SELECT FROM subscriptions WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM stripe_customers WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM erasures WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM accounts WHERE id = ${accountId} AND blocked_at IS NOT NULL) AS used`);
  return rows[0]?.used === false;
}
