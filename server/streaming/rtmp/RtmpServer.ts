import { createServer, type Server, type Socket } from 'node:net';
import type { AvPacket } from 'node-media-server/src/protocol/rtmp.js';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { SubnetCounts } from '../../../platform/limits/SubnetCounts.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import { AdmittedPublishers } from './AdmittedPublishers.ts';
import { ByteBudget } from './ByteBudget.ts';
import { RtmpConnection } from './RtmpConnection.ts';
import { RtmpPublisher, type PublisherDeps } from './RtmpPublisher.ts';

/** What publishers together may take of the port. */
interface RtmpBounds {
  /** Connections from one network, with a key or without: a studio has a few dozen. */
  perNetwork: number;
  /** Bytes of messages that are not finished: a thousand publishers send some 100 KB each. */
  unfinishedBytes: number;
  /** Bytes since the last key frames: some 100 publishers with 5 Mbit/s and key frames 4 s apart. */
  recentBytes: number;
  /** From the answer to a key until picture or sound comes: slow cameras take seconds. */
  firstMediaMs: number;
}

type RtmpDeps = Omit<PublisherDeps, 'recent'>;

interface RtmpOptions extends RtmpDeps {
  host: string;
  port: number;
  bounds?: Partial<RtmpBounds>;
}

const app = 'live';
const mostConnections = 1_000;
/** Those of one network that have not shown a key yet. */
const mostStrangers = 20;
const usualBounds: RtmpBounds = {
  perNetwork: 100,
  unfinishedBytes: 256 * 1024 * 1024,
  recentBytes: 256 * 1024 * 1024,
  firstMediaMs: 10_000,
};

/** The port publishers push to: rtmp://host:port/live/<streamKey>. The key opens the stream and is known to nobody behind this door. */
export class RtmpServer {
  readonly #deps: PublisherDeps;
  readonly #server: Server;
  readonly #publishers = new AdmittedPublishers();
  readonly #sockets = new Set<Socket>();
  readonly #strangers = new SubnetCounts(mostStrangers);
  readonly #networks: SubnetCounts;
  readonly #unfinished: ByteBudget;
  readonly #firstMediaMs: number;

  static async listen({ host, port, bounds, ...deps }: RtmpOptions): Promise<RtmpServer> {
    const rtmp = new RtmpServer(deps, { ...usualBounds, ...bounds });
    await new Promise<void>((resolve, reject) => {
      rtmp.#server.once('error', (cause: NodeJS.ErrnoException) => {
        const args = `Port ${port} is in use: end what uses it, or set RTMP_PORT to another, or to 0 for none.`;
        reject(cause.code === 'EADDRINUSE' ? new Error(args, { cause }) : cause);
      });
      rtmp.#server.listen(port, host, resolve);
    });
    return rtmp;
  }

  private constructor(deps: RtmpDeps, bounds: RtmpBounds) {
    this.#deps = { ...deps, recent: new ByteBudget(bounds.recentBytes) };
    this.#networks = new SubnetCounts(bounds.perNetwork);
    this.#unfinished = new ByteBudget(bounds.unfinishedBytes);
    this.#firstMediaMs = bounds.firstMediaMs;
    this.#server = createServer((socket) => this.#welcome(socket));
    this.#server.maxConnections = mostConnections;
    const { cluster } = deps;
    cluster.on('roomRestarted', ({ lost }) => this.#onLost(lost));
    cluster.on('roomMoving', ({ peers }) => this.#onLost(peers));
  }

  /** Of publishers that are connected and were let in. */
  get publishers(): number {
    return this.#publishers.count;
  }

  /** Bytes it holds of messages that are not finished. */
  get unfinishedBytes(): number {
    return this.#unfinished.held;
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
    const subnets = subnetsOf(socket.remoteAddress ?? '');
    if (!this.#strangers.hasRoom(subnets) || !this.#networks.hasRoom(subnets)) {
      this.#deps.log.debug(
        { from: socket.remoteAddress },
        'RTMP connection refused: too many of its network',
      );
      return void socket.destroy();
    }
    this.#strangers.enter(subnets);
    this.#networks.enter(subnets);
    const known = once(() => this.#strangers.leave(subnets));
    this.#sockets.add(socket);
    let publisher: RtmpPublisher | null = null;
    const handlers = {
      onPublish: (name: string, key: string) =>
        void this.#admit(connection, name, key).then((admitted) => {
          publisher = admitted;
          known();
          // It may have gone while its key was looked up.
          if (socket.destroyed) void this.#leave(publisher);
        }),
      onPacket: (packet: AvPacket) => publisher?.onPacket(packet),
      onClosed: () => {
        this.#sockets.delete(socket);
        this.#networks.leave(subnets);
        known();
        void this.#leave(publisher);
      },
    };
    const bounds = { unfinished: this.#unfinished, firstMediaMs: this.#firstMediaMs };
    const connection = new RtmpConnection(socket, handlers, bounds);
  }

  async #admit(connection: RtmpConnection, name: string, key: string): Promise<RtmpPublisher | null> {
    const { gateway, log } = this.#deps;
    try {
      if (name !== app) throw new ParleyError('NOT_FOUND', `Streams are published to /${app}.`);
      const { streamId, host } = await gateway.streamOfKey(key);
      this.#publishers.makeRoom(streamId, host);
      const publisher = new RtmpPublisher({ streamId, host }, connection, this.#deps);
      this.#publishers.add(publisher, host);
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
}

function once(run: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) run();
    isDone = true;
  };
}
