import { sql } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';

/**
 * Whether an account has nothing but what its sign-up gave it: no other movement of credits, no key that was ever made, no plan and
 * no payment. Its row is to be locked, under which all of these are made.
 */
export async function isUnused(tx: Executor, accountId: string): Promise<boolean> {
  const { rows } = await tx.execute<{ used: boolean }>(sql`
    SELECT EXISTS (SELECT FROM ledger WHERE account_id = ${accountId} AND reference_type <> 'signup')
      OR EXISTS (SELECT FROM api_keys WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM subscriptions WHERE account_id = ${accountId})
      OR EXISTS (SELECT FROM stripe_customers WHERE account_id = ${accountId}) AS used`);
  return rows[0]?.used === false;
}
