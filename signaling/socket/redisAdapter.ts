import { createAdapter } from '@socket.io/redis-streams-adapter';
import type { RedisClientType } from 'redis';
import type { Logger } from 'pino';
import type { Adapter } from './createIo.ts';
import { SealedEvents, type EventCipher } from './SealedEvents.ts';

/** Events that are kept for nodes which read late, about. */
const keptEvents = 10_000;

type Client = Pick<RedisClientType, 'duplicate' | 'xAdd' | 'publish'>;

interface RedisAdapterOptions {
  client: Client;
  /** All nodes have the same: what lies in Redis is sealed. */
  cipher: EventCipher;
  /** What was told did not reach the other nodes. */
  onLost: () => void;
  log: Logger;
}

/**
 * Carries events between nodes through a Redis stream. Whoever is connected to this node is told at once, and in the order in
 * which this node tells: without this, a device here would wait for Redis, and hear nothing while it is away.
 *
 * Closing: when Socket.IO closes it, its connections to Redis end at once.
 */
export function redisAdapter({ client, cipher, onLost, log }: RedisAdapterOptions): Adapter {
  const connections = new Connections(client, new SealedEvents(cipher, log));
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
 * end the process, and its reader connected after it was closed. What goes through them is sealed.
 */
class Connections {
  readonly #client: Client;
  readonly #duplicates: { destroy(): void }[] = [];
  readonly #sealed: SealedEvents;
  #closed = false;

  constructor(client: Client, sealed: SealedEvents) {
    this.#client = client;
    this.#sealed = sealed;
  }

  get client() {
    return {
      // By this the adapter knows which package the client is from.
      sSubscribe: () => undefined,
      xAdd: (stream: string, id: string, message: Entry, options: Parameters<Client['xAdd']>[3]) => {
        const sealed = this.#sealed.seal(JSON.stringify(message), stream).toString('base64');
        return this.#client.xAdd(stream, id, { sealed }, options);
      },
      // What nodes tell each other, but no client: hints, which nobody misses for long.
      publish: (channel: string, payload: Buffer) =>
        this.#client.publish(channel, this.#sealed.seal(payload.toString('base64'), channel)).catch(() => 0),
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
      xRead: async (streams: { key: string; id: string }[], options: { COUNT: number; BLOCK: number }) => {
        const read: Stream[] | null = await duplicate.xRead(streams, options);
        return read?.map(({ name, messages }) => ({
          name,
          messages: messages.map(({ id, message }) => ({ id, message: this.#opened(message, name) })),
        }));
      },
      // What other nodes tell this one, but no client.
      subscribe: (channels: string[], listener: (payload: Buffer) => void) =>
        duplicate
          .subscribe(
            channels,
            (payload, channel) => {
              const text = this.#sealed.open(payload, channel.toString());
              if (text !== null) listener(Buffer.from(text, 'base64'));
            },
            true,
          )
          .catch(() => undefined),
      disconnect: () => duplicate.destroy(),
    };
  }

  /** The adapter passes over what has no namespace. */
  #opened({ sealed }: Entry, stream: string): Entry {
    const text = this.#sealed.open(Buffer.from(sealed ?? '', 'base64'), stream);
    return text === null ? {} : (JSON.parse(text) as Entry);
  }
}

type Entry = Record<string, string>;

interface Stream {
  name: string;
  messages: { id: string; message: Entry }[];
}
