import { sql, type SQL } from 'drizzle-orm';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../database/Executor.ts';

/** The node this process is, in its present life. */
export interface OwnNode {
  readonly id: string;
  /** A condition that holds while nobody has declared this life over. */
  readonly stillAlive: SQL;
}

/** The due row that says what follows from a node's death. Its subject is the node's id, its payload NodeDied. */
export const nodeDied = 'node.died';

/** The same for nodes that serve the API: what the requests of the dead one held is set free. Its subject is the node's id. */
export const requestsDied = 'node.requests';

export interface NodeDied {
  /** When it was last heard of, ISO-8601. */
  seenAt: string;
  diedAt: string;
  roles: string[];
}

/**
 * What a node writes after others have taken it for dead is refused: its view is from before, and whatever it held is theirs.
 * @throws ParleyError SERVICE_UNAVAILABLE
 */
export async function refuseTheDead(executor: Executor, node: OwnNode): Promise<void> {
  const { rows } = await executor.execute<{ alive: boolean }>(sql`SELECT ${node.stillAlive} AS alive`);
  if (rows[0]?.alive) return;
  throw new ParleyError('SERVICE_UNAVAILABLE', 'This node was away for too long: connect again.', {
    retryAfter: 1,
  });
}
