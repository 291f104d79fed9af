import type { SQL } from 'drizzle-orm';

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

/** Whether a node with these roles applies the rules of rooms, streams and calls: for its devices, or for the HTTP API. */
export const appliesRules = (roles: string[]) => roles.includes('signaling') || roles.includes('api');

/**
 * How many devices of a dead node get their deadline at the same time. One after the other, those of a busy node would take many seconds,
 * during which nobody learns that they are away. All at once would hold up the devices that connect again.
 */
export const lostAtOnce = 10;
