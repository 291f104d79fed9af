import { createAdapter } from '@socket.io/redis-streams-adapter';
import type { RedisClientType } from 'redis';
import type { Adapter } from './createIo.ts';

/** Events that are kept for nodes which read late, about. */
const keptEvents = 10_000;

type Client = Pick<RedisClientType, 'duplicate' | 'xAdd' | 'publish'>;

/**
 * Carries events between nodes through a Redis stream. Whoever is connected to this node is told at once, and in the order in
 * which this node tells: without this, a device here would wait for Redis, and hear nothing while it is away.
 *
 * @param onLost what was told did not reach the other nodes
 *
 * Closing: when Socket.IO closes it, its connections to Redis end at once.
 */
export function redisAdapter(client: Client, onLost: () => void): Adapter {
  const connections = new Connections(client);
  const create = createAdapter(connections.client, {
    streamName: 'parley:events',
    channelPrefix: 'parley:events',
    maxLen: keptEvents,
    // All that is sent is plain JSON.
    onlyPlaintext: true,
  });
  // Socket.IO calls it with `new`.
  return function (namespace: unknown) {
    const adapter = create(namespace) as unknown as ClusterAdapter;
    const publish = adapter.publishAndReturnOffset.bind(adapter);
    adapter.publishAndReturnOffset = (message) => {
      publish(message).catch(onLost);
      return Promise.resolve('');
    };
    const broadcast = adapter.broadcast.bind(adapter);
    adapter.broadcast = (packet, options) => {
      const { rooms, except, flags } = options;
      if (!flags?.local) {
        const opts = { rooms: [...rooms], except: [...except], flags };
        void adapter.publishAndReturnOffset({ type: broadcastType, data: { packet, opts } });
      }
      // By itself it would tell devices here a moment later, after what is sent to this node alone.
      return broadcast(packet, { ...options, flags: { ...flags, local: true } });
    };
    const close = adapter.close.bind(adapter);
    adapter.close = () => {
      close();
      connections.close();
    };
    return adapter;
  } as unknown as Adapter;
}

/** socket.io-adapter's MessageType.BROADCAST. */
const broadcastType = 3;

interface BroadcastOptions {
  rooms: Set<string>;
  except: Set<string>;
  flags?: { local?: boolean };
}

interface ClusterAdapter {
  publishAndReturnOffset(message: unknown): Promise<string>;
  broadcast(packet: unknown, options: BroadcastOptions): unknown;
  close(): void;
}

/**
 * The client and its duplicates as the adapter may use them. It leaves the failures of what it begins to nobody, which would
 * end the process, and its reader connected after it was closed.
 */
class Connections {
  readonly #client: Client;
  readonly #duplicates: { destroy(): void }[] = [];
  #closed = false;

  constructor(client: Client) {
    this.#client = client;
  }

  get client() {
    return {
      // By this the adapter knows which package the client is from.
      sSubscribe: () => undefined,
      xAdd: (...args: Parameters<Client['xAdd']>) => this.#client.xAdd(...args),
      // What nodes tell each other, but no client: hints, which nobody misses for long.
      publish: (...args: Parameters<Client['publish']>) => this.#client.publish(...args).catch(() => 0),
      duplicate: () => this.#duplicate(),
    };
  }

  close(): void {
    this.#closed = true;
    for (const duplicate of this.#duplicates) duplicate.destroy();
  }

  #duplicate() {
    const duplicate = this.#client.duplicate();
    this.#duplicates.push(duplicate);
    return {
      sSubscribe: () => undefined,
      on: (event: 'error', handler: (error: Error) => void) => duplicate.on(event, handler),
      connect: () =>
        duplicate.connect().catch((error: unknown) => {
          // Closed before it was open: whoever waits for it has no use for it any more.
          if (this.#closed) return new Promise<never>(() => {});
          throw error;
        }),
      xRead: (...args: Parameters<typeof duplicate.xRead>) => duplicate.xRead(...args),
      // What other nodes tell this one, but no client.
      subscribe: (...args: Parameters<typeof duplicate.subscribe>) =>
        duplicate.subscribe(...args).catch(() => undefined),
      disconnect: () => duplicate.destroy(),
    };
  }
}
