import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { QueryResult } from 'pg';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../database/Executor.ts';
import type { OwnNode } from './OwnNode.ts';

/** The first key of the advisory locks of nodes: "node" in ASCII. The second one is a hash of the node's id. */
const lockSpace = 0x6e6f6465;
/** How long a node's transactions may still take when it is declared dead. Its transactions are short, unless it is frozen. */
const patienceMs = 250;
const pollMs = 25;

/**
 * Runs a transaction of this node. It commits only if the node has not been declared dead by then, because other nodes have taken over what
 * the node owned. For that it holds the node's lock, shared with the node's other transactions: see endTransactionsOf().
 * @throws ParleyError SERVICE_UNAVAILABLE if the node was declared dead
 */
export function livingTransaction<T>(
  db: NodePgDatabase,
  node: OwnNode,
  run: (executor: Executor) => Promise<T>,
): Promise<T> {
  return db.transaction(async (executor) => {
    // Two statements in one request. The second one must not use a snapshot from before the lock. Such a request cannot have parameters.
    const statements = sql`
      SELECT pg_advisory_xact_lock_shared(${lockSpace}, hashtext(${node.id}));
      SELECT ${node.stillAlive} AS alive`;
    const results: unknown = await executor.execute(statements.inlineParams());
    const [, check] = results as [QueryResult, QueryResult<{ alive: boolean }>];
    if (!check.rows[0]?.alive) {
      const message = 'This node was unreachable for too long: connect again.';
      throw new ParleyError('SERVICE_UNAVAILABLE', message, { retryAfter: 1 });
    }
    return run(executor);
  });
}

/**
 * Ends the transactions of a node. Call inside the transaction that declares the node dead. Until that one ends, the node's new transactions
 * wait. Transactions that take too long, such as those of a frozen process, are terminated.
 */
export async function endTransactionsOf(executor: Executor, nodeId: string): Promise<void> {
  const lock = sql`${lockSpace}::int, hashtext(${nodeId})`;
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += pollMs) {
    const { rows } = await executor.execute(sql`SELECT WHERE pg_try_advisory_xact_lock(${lock})`);
    if (rows.length > 0) return;
    await delay(pollMs);
  }
  // Without the permission to terminate a connection, this waits until PostgreSQL closes it, because it is idle in a transaction.
  await executor.execute(sql`
    SELECT pg_terminate_backend(l.pid) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.classid = ${lockSpace}::int::oid AND l.objid = hashtext(${nodeId})::oid AND l.objsubid = 2
      AND l.granted AND a.datname = current_database() AND a.usename = current_user AND l.pid <> pg_backend_pid()`);
  await executor.execute(sql`SELECT pg_advisory_xact_lock(${lock})`);
}
