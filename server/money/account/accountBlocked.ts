import { eq } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { accounts } from './tables.ts';

export const accountBlocked = () =>
  new ParleyError(
    'ACCESS_DENIED',
    'The operator of this server has blocked this account. Ask the operator.',
    {
      reason: 'account_blocked',
    },
  );

/**
 * Call in a transaction that lets somebody act for an account. It waits for a block that is being set, and a later block waits for it.
 * @throws ParleyError ACCESS_DENIED (`account_blocked`)
 */
export async function refuseBlocked(tx: Executor, accountId: string): Promise<void> {
  const [row] = await tx
    .select({ blockedAt: accounts.blockedAt })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for('share');
  if (row?.blockedAt) throw accountBlocked();
}
