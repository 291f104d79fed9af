import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../database/Executor.ts';
import { refuseIfDead, type OwnNode } from './OwnNode.ts';

/**
 * Runs a transaction of this node, unless the node has been declared dead before the transaction starts.
 * @throws ParleyError SERVICE_UNAVAILABLE if the node was declared dead
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
