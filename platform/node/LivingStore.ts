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

  /** @throws ParleyError SERVICE_UNAVAILABLE when this node has been declared dead */
  transaction<T>(run: (executor: Executor) => Promise<T>): Promise<T> {
    return livingTransaction(this.db, this.node, run);
  }
}
