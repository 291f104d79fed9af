import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../database/Executor.ts';
import { refuseTheDead, type OwnNode } from './OwnNode.ts';

/**
 * A transaction of a node that has not been taken for dead: what it holds is its own until the transaction ends.
 * @throws ParleyError SERVICE_UNAVAILABLE when it has
 */
export function livingTransaction<T>(
  db: NodePgDatabase,
  node: OwnNode,
  run: (executor: Executor) => Promise<T>,
): Promise<T> {
  return db.transaction(async (executor) => {
    await refuseTheDead(executor, node);
    return run(executor);
  });
}
