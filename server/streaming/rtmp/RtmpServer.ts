import { createServer, type Server, type Socket } from 'node:net';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { RtmpConnection } from './RtmpConnection.ts';
import { RtmpPublisher, type PublisherDeps } from './RtmpPublisher.ts';

interface RtmpOptions extends PublisherDeps {
  host: string;
  port: number;
}

const app = 'live';
const mostConnections = 1_000;
/** Those of one address that have not shown a key yet. */
const mostStrangers = 20;

/** The port publishers push to: rtmp://host:port/live/<streamKey>. The key opens the stream and is known to nobody behind this door. */
export class RtmpServer {
  readonly #deps: PublisherDeps;
  readonly #server: Server;
  readonly #publishers = new Set<RtmpPublisher>();
  readonly #sockets = new Set<Socket>();
  readonly #strangers = new Map<string, number>();

  static async listen({ host, port, ...deps }: RtmpOptions): Promise<RtmpServer> {
    const rtmp = new RtmpServer(deps);
    await new Promise<void>((resolve, reject) => {
      rtmp.#server.once('error', (cause: NodeJS.ErrnoException) => {
        const words = `Port ${port} is in use: end what uses it, or set RTMP_PORT to another, or to 0 for none.`;
        reject(cause.code === 'EADDRINUSE' ? new Error(words, { cause }) : cause);
      });
      rtmp.#server.listen(port, host, resolve);
    });
    return rtmp;
  }

  private constructor(deps: PublisherDeps) {
    this.#deps = deps;
    this.#server = createServer((socket) => this.#welcome(socket));
    this.#server.maxConnections = mostConnections;
    const { cluster } = deps;
    cluster.on('roomRestarted', ({ lost }) => this.#onLost(lost));
    cluster.on('roomMoving', ({ peers }) => this.#onLost(peers));
  }

  /** Of publishers that are connected and were let in. */
  get publishers(): number {
    return this.#publishers.size;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await Promise.all([...this.#publishers].map((publisher) => publisher.end()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #onLost(peers: { peerId: string }[]): void {
    const ids = new Set(peers.map(({ peerId }) => peerId));
    for (const publisher of this.#publishers) if (ids.has(publisher.id)) publisher.onMediaLost();
  }

  #welcome(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const strangers = (this.#strangers.get(address) ?? 0) + 1;
    if (strangers > mostStrangers) return void socket.destroy();
    this.#strangers.set(address, strangers);
    const known = once(() => this.#forget(address));
    this.#sockets.add(socket);
    let publisher: RtmpPublisher | null = null;
    const connection = new RtmpConnection(socket, {
      onPublish: (name, key) =>
        void this.#admit(connection, name, key).then((admitted) => {
          publisher = admitted;
          known();
          // It may have gone while its key was looked up.
          if (socket.destroyed) void this.#leave(publisher);
        }),
      onPacket: (packet) => publisher?.onPacket(packet),
      onClosed: () => {
        this.#sockets.delete(socket);
        known();
        void this.#leave(publisher);
      },
    });
  }

  async #admit(connection: RtmpConnection, name: string, key: string): Promise<RtmpPublisher | null> {
    const { doors, log } = this.#deps;
    try {
      if (name !== app) throw new ParleyError('NOT_FOUND', `Streams are published to /${app}.`);
      const { streamId } = await doors.streamOfKey(key);
      const publisher = new RtmpPublisher(streamId, connection, this.#deps);
      this.#publishers.add(publisher);
      connection.accept();
      return publisher;
    } catch (error) {
      const isRefusal = error instanceof ParleyError;
      if (!isRefusal) log.error({ err: error }, 'an RTMP publisher could not be let in');
      connection.refuse(isRefusal ? error.message : 'Something failed on the server: try again.');
      return null;
    }
  }

  async #leave(publisher: RtmpPublisher | null): Promise<void> {
    await publisher?.end();
    if (publisher) this.#publishers.delete(publisher);
  }

  #forget(address: string): void {
    const left = (this.#strangers.get(address) ?? 1) - 1;
    if (left > 0) this.#strangers.set(address, left);
    else this.#strangers.delete(address);
  }
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
