import { eq } from 'drizzle-orm';
import type { Address } from '../../../sdk/protocol/common.ts';
import { newId, randomBase62 } from '../../../sdk/protocol/ids.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { accounts } from './tables.ts';

/**
 * Finds or creates the account of a wallet, and locks it, so that the wallet stays linked to it until the transaction ends. Otherwise, a
 * wallet that is being unlinked could still sign in.
 */
export async function accountOf(
  executor: Executor,
  wallet: Address,
): Promise<{ id: string; isNew: boolean }> {
  for (;;) {
    const made = await newAccount(executor, { wallet });
    if (made) return { id: made, isNew: true };
    const [account] = await executor
      .select({ id: accounts.id })
      .from(accounts)
      .where(eq(accounts.wallet, wallet))
      .for('key share');
    // If another transaction has just unlinked the wallet, there is no account now.
    if (account) return { id: account.id, isNew: false };
  }
}

/** Creates an account. @returns its id; null if the wallet already has an account */
export async function newAccount(
  executor: Executor,
  values: { wallet?: Address; email?: string | null },
): Promise<string | null> {
  const [made] = await executor
    .insert(accounts)
    .values({ id: newId('acc'), ...values, publishableKey: `pk_live_${randomBase62(32)}` })
    .onConflictDoNothing()
    .returning({ id: accounts.id });
  return made?.id ?? null;
}
