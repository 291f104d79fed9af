import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../database/Executor.ts';
import { livingTransaction } from './livingTransaction.ts';
import type { OwnNode } from './OwnNode.ts';

/** The base class of stores whose transactions must not commit once this node has been declared dead. */
export abstract class LivingStore {
  protected readonly db: NodePgDatabase;
  protected readonly node: OwnNode;

  constructor(db: NodePgDatabase, node: OwnNode) {
    this.db = db;
    this.node = node;
  }

  /**
   * @param onDoubt called when the commit fails: the changes may be stored nevertheless
   * @throws ParleyError SERVICE_UNAVAILABLE when this node has been declared dead
   */
  async transaction<T>(
    run: (executor: Executor) => Promise<T>,
    onDoubt: () => void = () => undefined,
  ): Promise<T> {
    let isComplete = false;
    try {
      return await livingTransaction(this.db, this.node, async (executor) => {
        const result = await run(executor);
        isComplete = true;
        return result;
      });
    } catch (error) {
      if (isComplete) onDoubt();
      throw error;
    }
  }
}
