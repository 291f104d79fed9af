import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { erasures } from '../tables.ts';

/** @throws ParleyError CONFLICT while the account is being erased, which takes minutes. After that, the wallet gets a new account */
export async function mustNotBeErased(executor: Executor, accountId: string): Promise<void> {
  const [row] = await executor
    .select({ accountId: erasures.accountId })
    .from(erasures)
    .where(and(eq(erasures.accountId, accountId), isNotNull(erasures.startedAt), isNull(erasures.erasedAt)));
  if (row) throw beingErased();
}

export const beingErased = () =>
  new ParleyError(
    'CONFLICT',
    'This account is being deleted. Sign in again in a few minutes to begin with a new account.',
  );
