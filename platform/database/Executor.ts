import type { NodePgDatabase } from 'drizzle-orm/node-postgres';

/** A database, or a transaction in it. */
export type Executor = Pick<NodePgDatabase, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;
