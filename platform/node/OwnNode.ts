import { sql, type SQL } from 'drizzle-orm';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../database/Executor.ts';

/** This process as a node of the cluster, in its present life. */
export interface OwnNode {
  readonly id: string;
  /** An SQL condition that holds until this node is declared dead. */
  readonly stillAlive: SQL;
}

/** The scheduled job that follows a node's death. Its subject is the node's id, its payload NodeDied. */
export const nodeDied = 'node.died';

/**
 * The scheduled job that follows the death of a node with the role `api`: it frees the idempotency keys, reservations and payments of that
 * node's requests. Its subject is the node's id.
 */
export const requestsDied = 'node.requests';

export interface NodeDied {
  /** The time of its last heartbeat, ISO-8601. */
  seenAt: string;
  diedAt: string;
  roles: string[];
}

/**
 * Throws if a node was declared dead, so that it does not write: its view is outdated, and other nodes have taken over what it owned.
 * @throws ParleyError SERVICE_UNAVAILABLE
 */
export async function refuseIfDead(executor: Executor, node: OwnNode): Promise<void> {
  const { rows } = await executor.execute<{ alive: boolean }>(sql`SELECT ${node.stillAlive} AS alive`);
  if (rows[0]?.alive) return;
  throw new ParleyError('SERVICE_UNAVAILABLE', 'This node was unreachable for too long: connect again.', {
    retryAfter: 1,
  });
}
