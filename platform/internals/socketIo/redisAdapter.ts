import { setTimeout as delay } from 'node:timers/promises';
import { createAdapter } from '@socket.io/redis-streams-adapter';
import type { RedisClientType } from 'redis';
import type { Logger } from 'pino';
import type { Server } from 'socket.io';
import { SealedEvents, type EventCipher } from '../../SealedEvents.ts';

export type Adapter = NonNullable<Parameters<Server['adapter']>[0]>;

/** The approximate number of events kept for nodes that read late. */
const keptEvents = 10_000;
/** The pause before the next read when Redis has refused one, for example because it is loading its data. The adapter itself makes none. */
const refusedMs = 500;

type Client = Pick<RedisClientType, 'duplicate' | 'xAdd' | 'publish'>;

interface RedisAdapterOptions {
  client: Client;
  /** Encrypts the events in Redis. All nodes must use the same key. */
  cipher: EventCipher;
  /** Called when an event could not be sent to the other nodes. */
  onLost: () => void;
  log: Logger;
}

/**
 * Carries events between nodes through a Redis stream. Devices of this node get an event immediately, in the order of sending. With
 * Socket.IO's unmodified adapter, they would wait for Redis, and get nothing while Redis is away.
 *
 * When Socket.IO closes the adapter, its connections to Redis end immediately.
 */
export function redisAdapter({ client, cipher, onLost, log }: RedisAdapterOptions): Adapter {
  const connections = new Connections(client, new SealedEvents(cipher, log));
  const create = createAdapter(connections.client, {
    streamName: 'parley:events',
    channelPrefix: 'parley:events',
    maxLen: keptEvents,
    // All payloads are plain JSON.
    onlyPlaintext: true,
  });
  // Socket.IO calls this with `new`.
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
      // Deliver to local devices immediately. The base class would do so slightly later, after events that are sent only to this node.
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
export const broadcastType = 3;

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
 * Wraps the Redis client and its duplicates for the adapter. It encrypts everything, handles failed commands so that they do not end the
 * process, and closes the connection from which the adapter reads, because the adapter leaves it open.
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
      // The adapter recognises the client's package by this method.
      sSubscribe: () => undefined,
      xAdd: (stream: string, id: string, message: Entry, options: Parameters<Client['xAdd']>[3]) => {
        const sealed = this.#sealed.seal(JSON.stringify(message), stream).toString('base64');
        return this.#client.xAdd(stream, id, { sealed }, options);
      },
      // For messages between nodes, not for clients. They are hints, whose loss does no lasting harm.
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
          // The adapter was closed while it connected, so the result no longer matters.
          if (this.#closed) return new Promise<never>(() => {});
          throw error;
        }),
      xRead: async (streams: { key: string; id: string }[], options: { COUNT: number; BLOCK: number }) => {
        const read: Stream[] | null = await duplicate
          .xRead(streams, options)
          .catch(async (error: unknown) => {
            await delay(refusedMs, undefined, { ref: false });
            throw error;
          });
        return read?.map(({ name, messages }) => ({
          name,
          messages: messages.map(({ id, message }) => ({ id, message: this.#opened(message, name) })),
        }));
      },
      // For messages between nodes, not for clients.
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

  /** Decrypts an entry. If it is refused, the result is empty, because the adapter skips entries without a namespace. */
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
