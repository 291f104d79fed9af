import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../database/Executor.ts';
import { refuseIfDead, type OwnNode } from './OwnNode.ts';

/**
 * Runs a transaction of a node that has not been declared dead. It can't be declared dead until the transaction ends.
 * @throws ParleyError SERVICE_UNAVAILABLE when it was declared dead
 */
export function livingTransaction<T>(
  db: NodePgDatabase,
  node: OwnNode,
  run: (executor: Executor) => Promise<T>,
): Promise<T> {
  return db.transaction(async (executor) => {
    await refuseIfDead(executor, node);
    return run(executor);
  });
}
