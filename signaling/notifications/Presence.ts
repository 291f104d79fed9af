import { eq, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Logger } from 'pino';
import type { Address } from '../../sdk/protocol/common.ts';
import type { ParleyServer } from '../socket/RequestContext.ts';
import { GroupCommit, handshakePauseMs } from '../../platform/database/GroupCommit.ts';
import { channels } from '../socket/Notifier.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { pushPresence } from './tables.ts';

/** The event by which nodes tell each other that a wallet has its first subscription. */
const subscribed = 'notifications:subscribed';

interface Between {
  serverSideEmit(event: string, wallet: Address): void;
  on(event: string, handler: (wallet: Address) => void): void;
}

interface Connection {
  wallet: Address;
  socketId: string;
}

interface PresenceDeps {
  db: NodePgDatabase;
  io: ParleyServer;
  node: OwnNode;
  /** Whether this is the only node. */
  isSingleNode: boolean;
  log: Logger;
}

/** Tracks connected devices of wallets that have push subscriptions. */
export class Presence {
  readonly #deps: PresenceDeps;
  /** This node's connections that have a row in the database. Only these rows need to be removed. */
  readonly #recorded = new Set<string>();
  /** Batches the inserts for devices that connect at the same time. */
  readonly #records = new GroupCommit<Connection, void>({
    size: 200,
    pauseMs: handshakePauseMs,
    write: async (connections) => {
      await this.#record(connections);
      return [];
    },
  });

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    const { io, log } = deps;
    (io as unknown as Between).on(subscribed, (wallet) => {
      this.#recordHere(wallet).catch((err: unknown) => log.warn({ err, wallet }, 'connections not recorded'));
    });
  }

  onConnected(wallet: Address, socketId: string): Promise<void> {
    return this.#records.run({ wallet, socketId });
  }

  /** May be repeated if it fails: a connection that stays counted would delay each push of its wallet. */
  async onDisconnected(socketId: string): Promise<void> {
    if (!this.#recorded.has(socketId)) return;
    await this.#deps.db.delete(pushPresence).where(eq(pushPresence.socketId, socketId));
    this.#recorded.delete(socketId);
  }

  /** Called periodically. Removes connections whose end could not be recorded, because the database was unavailable for long. */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    for (const socketId of this.#recorded) if (!isConnected(socketId)) await this.onDisconnected(socketId);
  }

  async onNodeDied(nodeId: string): Promise<void> {
    await this.#deps.db.delete(pushPresence).where(eq(pushPresence.nodeId, nodeId));
  }

  /** Call when a wallet gets its first subscription. From then on, every node records the wallet's connections. */
  async onSubscribed(wallet: Address): Promise<void> {
    if (!this.#deps.isSingleNode) (this.#deps.io as unknown as Between).serverSideEmit(subscribed, wallet);
    await this.#recordHere(wallet);
  }

  async #recordHere(wallet: Address): Promise<void> {
    const socketIds = [...(this.#deps.io.of('/').adapter.rooms.get(channels.wallet(wallet)) ?? [])];
    if (socketIds.length > 0) await this.#record(socketIds.map((socketId) => ({ wallet, socketId })));
  }

  async #record(connections: Connection[]): Promise<void> {
    const rows = connections.map(
      ({ wallet, socketId }) => sql`(${socketId}, ${wallet}, ${this.#deps.node.id})`,
    );
    const { rows: recorded } = await this.#deps.db.execute<{ socket_id: string; wallet: Address }>(sql`
      INSERT INTO push_presence (socket_id, wallet, node_id)
      SELECT * FROM (VALUES ${sql.join(rows, sql`, `)}) AS given (socket_id, wallet, node_id)
      WHERE EXISTS (SELECT FROM push_subscriptions s WHERE s.wallet = given.wallet)
      ON CONFLICT DO NOTHING RETURNING socket_id, wallet`);
    const { sockets } = this.#deps.io.of('/');
    for (const { socket_id: id, wallet } of recorded) {
      this.#recorded.add(id);
      this.#deps.log.debug({ wallet, socket: id }, 'connection counted');
      // The device disconnected before its row existed, so the row could not be removed then.
      if (!sockets.has(id)) await this.onDisconnected(id);
    }
  }
}
