import { eq } from 'drizzle-orm';
import type { Address } from '../../../sdk/protocol/common.ts';
import { newId, randomBase62 } from '../../../sdk/protocol/ids.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { accounts } from './tables.ts';

/** The wallet's account, made where there is none. */
export async function accountOf(
  executor: Executor,
  wallet: Address,
): Promise<{ id: string; isNew: boolean }> {
  const made = await newAccount(executor, { wallet });
  if (made) return { id: made, isNew: true };
  const [account] = await executor
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.wallet, wallet));
  if (!account) throw new Error('an account that was just made is not there');
  return { id: account.id, isNew: false };
}

/** @returns its id; null where the wallet has one already */
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
