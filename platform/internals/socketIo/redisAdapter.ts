import { createAdapter } from '@socket.io/redis-streams-adapter';
import type { RedisClientType } from 'redis';
import type { Logger } from 'pino';
import type { Server } from 'socket.io';
import { SealedEvents, type EventCipher } from '../../SealedEvents.ts';

export type Adapter = NonNullable<Parameters<Server['adapter']>[0]>;

/** The approximate number of events kept for nodes that read late. */
const keptEvents = 10_000;

type Client = Pick<RedisClientType, 'duplicate' | 'xAdd' | 'publish'>;

interface RedisAdapterOptions {
  client: Client;
  /** The same on all nodes: events in Redis are encrypted. */
  cipher: EventCipher;
  /** An event did not reach the other nodes. */
  onLost: () => void;
  log: Logger;
}

/**
 * Carries events between nodes through a Redis stream. Devices of this node get an event immediately, in the order of sending. With
 * Socket.IO's adapter alone they would wait for Redis, and get nothing while Redis is away.
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
      // The base class would deliver to local devices a moment later, after events that are sent to this node only.
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
 * The client and its duplicates, as the adapter uses them. This class handles what the adapter does not: failures of its commands,
 * which would end the process, and its reader, which it leaves connected. It also encrypts everything.
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
      // Messages between nodes, not for clients: hints whose loss does no lasting harm.
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
          // Closed before it was open: nothing that waits for it matters any more.
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
      // Messages between nodes, not for clients.
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

  /** Removes the namespace of an entry that was refused: the adapter skips entries without one. */
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
