import { createServer, type Server, type Socket } from 'node:net';
import type { AvPacket } from '../../../platform/internals/nodeMediaServer/flv.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { SubnetCounts } from '../../../platform/limits/SubnetCounts.ts';
import { subnetsOf } from '../../../platform/limits/subnets.ts';
import { listen } from '../../http/httpServer.ts';
import { AdmittedPublishers } from './AdmittedPublishers.ts';
import { ByteBudget } from './ByteBudget.ts';
import { RtmpConnection } from './RtmpConnection.ts';
import { RtmpPublisher, type PublisherDeps } from './RtmpPublisher.ts';

/** Limits that all publishers of the port share. */
interface RtmpBounds {
  /** The maximum number of connections from one network, admitted or not. A studio has a few dozen. */
  perNetwork: number;
  /** The maximum memory for unfinished messages. A thousand publishers need about 100 KB each. */
  unfinishedBytes: number;
  /** The maximum memory for tags since the last key frames. Enough for about 100 publishers at 5 Mbit/s with key frames 4 s apart. */
  recentBytes: number;
  /** The maximum time from admission to the first audio or video. Slow cameras take seconds. */
  firstMediaMs: number;
}

type RtmpDeps = Omit<PublisherDeps, 'recent'>;

interface RtmpOptions extends RtmpDeps {
  host: string;
  port: number;
  bounds?: Partial<RtmpBounds>;
}

const app = 'live';
const connectionLimit = 1_000;
/** The maximum number of connections from one network that have not sent a valid key yet. */
const maxStrangers = 20;
const usualBounds: RtmpBounds = {
  perNetwork: 100,
  unfinishedBytes: 256 * 1024 * 1024,
  recentBytes: 256 * 1024 * 1024,
  firstMediaMs: 10_000,
};

/** The RTMP port. Publishers push to rtmp://host:port/live/<streamKey>. The key selects the stream and is not passed on. */
export class RtmpServer {
  readonly #deps: PublisherDeps;
  readonly #server: Server;
  readonly #publishers = new AdmittedPublishers();
  readonly #sockets = new Set<Socket>();
  readonly #strangers = new SubnetCounts(maxStrangers);
  readonly #networks: SubnetCounts;
  readonly #unfinished: ByteBudget;
  readonly #firstMediaMs: number;

  static async listen({ host, port, bounds, ...deps }: RtmpOptions): Promise<RtmpServer> {
    const rtmp = new RtmpServer(deps, { ...usualBounds, ...bounds });
    await listen(rtmp.#server, { HOST: host, PORT: port }, 'RTMP_PORT (0 for no RTMP)');
    return rtmp;
  }

  private constructor(deps: RtmpDeps, bounds: RtmpBounds) {
    this.#deps = { ...deps, recent: new ByteBudget(bounds.recentBytes) };
    this.#networks = new SubnetCounts(bounds.perNetwork);
    this.#unfinished = new ByteBudget(bounds.unfinishedBytes);
    this.#firstMediaMs = bounds.firstMediaMs;
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.maxConnections = connectionLimit;
    const { cluster } = deps;
    cluster.on('roomRestarted', ({ lost }) => this.#onLost(lost));
    cluster.on('roomMoving', ({ peers }) => this.#onLost(peers));
    cluster.on('eventsMissed', ({ roomId, peers }) => void this.#onMissed(roomId, peers));
  }

  /** The number of connected, admitted publishers. */
  get publishers(): number {
    return this.#publishers.count;
  }

  /** The number of bytes held for unfinished messages. */
  get unfinishedBytes(): number {
    return this.#unfinished.held;
  }

  /** Closes all connections. Their publishers end, and may connect again. */
  disconnectAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    await Promise.all([...this.#publishers].map((publisher) => publisher.end()));
    this.disconnectAll();
    await closed;
  }

  #onLost(peers: { peerId: string }[]): void {
    const ids = new Set(peers.map(({ peerId }) => peerId));
    for (const publisher of this.#publishers) if (ids.has(publisher.id)) publisher.onMediaLost();
  }

  /** Called when events were missed: one of them may have been that the media of a publisher was lost. */
  async #onMissed(roomId: string, peers: { peerId: string }[]): Promise<void> {
    const room = this.#deps.cluster.room(roomId);
    const own = new Set([...this.#publishers].map(({ id }) => id));
    for (const { peerId } of peers) {
      if (!own.has(peerId)) continue;
      // If the node cannot be reached, events are missed again.
      await room.countPackets({ peerId }).catch((error: unknown) => {
        if (error instanceof ParleyError && error.code === 'NOT_FOUND') this.#onLost([{ peerId }]);
      });
    }
  }

  #accept(socket: Socket): void {
    const subnets = subnetsOf(socket.remoteAddress ?? '');
    if (!this.#strangers.hasRoom(subnets) || !this.#networks.hasRoom(subnets)) {
      this.#deps.log.debug(
        { from: socket.remoteAddress },
        'RTMP connection refused: too many from its network',
      );
      return void socket.destroy();
    }
    this.#strangers.enter(subnets);
    this.#networks.enter(subnets);
    const leaveStrangers = once(() => this.#strangers.leave(subnets));
    this.#sockets.add(socket);
    let publisher: RtmpPublisher | null = null;
    const handlers = {
      onPublish: (name: string, key: string) =>
        void this.#admit(connection, name, key).then((admitted) => {
          publisher = admitted;
          leaveStrangers();
          // The client may have left during the look-up of its key.
          if (socket.destroyed) void this.#leave(publisher);
        }),
      onPacket: (packet: AvPacket) => publisher?.onPacket(packet),
      onClosed: () => {
        this.#sockets.delete(socket);
        this.#networks.leave(subnets);
        leaveStrangers();
        void this.#leave(publisher);
      },
    };
    const bounds = { unfinished: this.#unfinished, firstMediaMs: this.#firstMediaMs };
    const connection = new RtmpConnection(socket, handlers, bounds);
  }

  async #admit(connection: RtmpConnection, name: string, key: string): Promise<RtmpPublisher | null> {
    const { gateway, log } = this.#deps;
    try {
      if (name !== app)
        throw new ParleyError(
          'NOT_FOUND',
          `Unknown application. Publish to rtmp://<host>/${app} with the stream key.`,
        );
      const { streamId, host } = await gateway.streamOfKey(key);
      this.#publishers.makeRoom(streamId, host);
      const publisher = new RtmpPublisher({ streamId, key, host }, connection, this.#deps);
      this.#publishers.add(publisher, host);
      connection.accept();
      return publisher;
    } catch (error) {
      const isRefusal = error instanceof ParleyError;
      if (!isRefusal) log.error({ err: error }, 'admitting an RTMP publisher failed');
      connection.refuse(isRefusal ? error.message : 'The server failed. Try again.');
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
