import { and, eq, isNotNull } from 'drizzle-orm';
import type { Executor } from '../../../platform/database/Executor.ts';
import { erasures } from '../tables.ts';

/** Whether the erasure of an account has begun. Nothing about its person may be stored from then on. */
export async function isErased(executor: Executor, accountId: string): Promise<boolean> {
  const [row] = await executor
    .select({ accountId: erasures.accountId })
    .from(erasures)
    .where(and(eq(erasures.accountId, accountId), isNotNull(erasures.startedAt)));
  return row !== undefined;
}
