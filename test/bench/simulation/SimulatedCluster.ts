import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { MediaLink } from '../../../media/cluster/MediaLink.ts';
import type { MediaLinks } from '../../../media/cluster/MediaLinks.ts';
import { RemoteMediaCluster } from '../../../media/cluster/RemoteMediaCluster.ts';
import { RemoteRouters } from '../../../media/cluster/RemoteRouters.ts';
import type { Owner, RoomOwners } from '../../../media/cluster/RoomOwners.ts';
import { RouterHost } from '../../../media/cluster/RouterHost.ts';
import type { Candidate } from '../../../media/room/placement.ts';
import type { RoomRouter } from '../../../media/router/RoomRouter.ts';
import { RouterFactory } from '../../../media/room/RouterFactory.ts';
import { idlest, type PooledWorker } from '../../../media/router/WorkerPool.ts';
import { SimulatedRoom, type SimulatedPeer } from './SimulatedRoom.ts';
import { SimulatedRouter, type SimulatedWorker } from './SimulatedRouter.ts';

const log = pino({ level: 'silent' });
/** The default of MEDIA_WORKER_CONSUMERS. */
export const consumersPerWorker = 500;
/** At its limit of consumers, a core is as busy as placement lets it become. */
const fullWeight = consumersPerWorker / 0.85;

/** The table of room owners, in memory. It counts statements. */
class SimulatedOwners {
  readonly #owners = new Map<string, Owner>();
  #epoch = 0;
  statements = 0;

  find(roomId: string): Promise<Owner | null> {
    this.statements++;
    return Promise.resolve(this.#owners.get(roomId) ?? null);
  }

  claim(roomId: string, nodeId: string, from: Owner | null): Promise<Owner | null> {
    this.statements++;
    const now = this.#owners.get(roomId) ?? null;
    if (now?.epoch !== from?.epoch) return this.find(roomId);
    const owner = { nodeId, epoch: ++this.#epoch };
    this.#owners.set(roomId, owner);
    return Promise.resolve(owner);
  }

  nodeOf(roomId: string): string | undefined {
    return this.#owners.get(roomId)?.nodeId;
  }
}

/** What a node sees of the others: their loads as of the last heartbeat, and in-memory links to them. */
class SimulatedLinks {
  readonly events = new EventEmitter();
  readonly #cluster: SimulatedCluster;
  readonly #links = new Map<string, MediaLink>();
  readonly #ownId: string;

  constructor(cluster: SimulatedCluster, ownId: string) {
    this.#cluster = cluster;
    this.#ownId = ownId;
  }

  candidates(): Candidate[] {
    return [...this.#cluster.reported.values()].filter(({ id }) => this.#cluster.nodes.has(id));
  }

  candidate(nodeId: string): Candidate | undefined {
    return this.#cluster.reported.get(nodeId);
  }

  link(nodeId: string): Promise<MediaLink | null> {
    const node = this.#cluster.nodes.get(nodeId);
    if (!node) return Promise.resolve(null);
    const there = this.#links.get(nodeId);
    if (there) return Promise.resolve(there);
    const link = {
      call: (name: string, request: object) => node.handle(this.#ownId, name, request as Request),
      close: () => undefined,
    } as unknown as MediaLink;
    this.#links.set(nodeId, link);
    return Promise.resolve(link);
  }

  onDied(handler: (nodeId: string) => void): void {
    this.events.on('died', handler);
  }

  onDraining(handler: (nodeId: string) => void): void {
    this.events.on('draining', handler);
  }

  onEvent(handler: (name: string, event: unknown) => void): void {
    this.events.on('nodeEvent', handler);
  }

  onMissed(): void {}

  onEnded(): void {}
}

interface Request {
  roomId: string;
  epoch: number;
  routerId: string;
  routerIds: string[];
}

/** A node with all roles: the real code of signalling for rooms on any node, and of the media of its own rooms. */
export class SimulatedNode {
  readonly id: string;
  readonly media: RemoteMediaCluster;
  readonly links: SimulatedLinks;
  readonly workers: SimulatedWorker[];
  readonly rooms = new Map<string, { epoch: number; room: Promise<SimulatedRoom> }>();
  readonly host: RouterHost;
  isDraining = false;
  readonly #cluster: SimulatedCluster;
  readonly #factory: RouterFactory;
  readonly #remote: RemoteRouters;
  readonly #lent = new Map<string, SimulatedRouter>();
  #busy: number[];

  constructor(cluster: SimulatedCluster, id: string, workers: number) {
    this.#cluster = cluster;
    this.id = id;
    this.workers = Array.from({ length: workers }, (_, index) => {
      return { index, rooms: 0, load: 0, routers: new Set(), worker: { pid: index }, weight: 0 };
    });
    this.#busy = this.workers.map(() => 0);
    this.links = new SimulatedLinks(cluster, id);
    const nodes = this.links as unknown as MediaLinks;
    const living = this.workers as unknown as PooledWorker[];
    this.#factory = new RouterFactory({
      pool: { living, leastLoaded: () => Promise.resolve(idlest(living) as PooledWorker) },
      meter: { busyOf: (pid) => this.#busy[pid] ?? 0 },
      pipeListen: { ip: '127.0.0.1', ports: { min: 0, max: 0 } },
      limits: { consumersPerWorker },
      log,
      createRouter: (worker, options) => SimulatedRouter.create(worker, options),
    });
    this.host = new RouterHost(this.#factory, log);
    this.host.onEvent((owner, routerId, event) =>
      cluster.nodes.get(owner)?.links.events.emit('nodeEvent', 'router', { routerId, event }),
    );
    const ownId = () => id;
    this.#remote = new RemoteRouters({ nodes, ownId, consumersPerWorker, log });
    this.#factory.setNeighbours(this.#remote);
    this.media = new RemoteMediaCluster({
      owners: cluster.owners as unknown as RoomOwners,
      nodes,
      ownId,
      log,
    });
    this.links.onDied((dead) => this.host.closeOf(dead));
  }

  /** Like LoadMeter. */
  measure(): void {
    this.#busy = this.workers.map(({ weight }) => weight / fullWeight);
  }

  get load(): number {
    return Math.min(1, Math.max(...this.#busy));
  }

  /** The share of all its cores that is used. */
  get cpu(): number {
    return this.#busy.reduce((sum, busy) => sum + busy, 0) / this.#busy.length;
  }

  async openRooms(): Promise<SimulatedRoom[]> {
    return Promise.all([...this.rooms.values()].map(({ room }) => room));
  }

  /** Like MediaNode. */
  async handle(home: string, name: string, request: Request): Promise<unknown> {
    const { roomId, epoch, routerId, routerIds } = request;
    if (!this.#cluster.nodes.has(this.id)) throw new ParleyError('SERVICE_UNAVAILABLE', 'dead');
    if (name === 'openRoom') return this.#open(roomId, epoch);
    if (name === 'part.open') {
      const opened = await this.host.open(home, request);
      this.#lent.set(routerId, this.host.router(home, routerId) as unknown as SimulatedRouter);
      return opened;
    }
    if (name === 'part.close') return this.host.close(home, routerId);
    if (name === 'part.keep') return this.host.keep(home, routerIds);
    if (name.startsWith('part.')) {
      const router = this.host.router(home, routerId) as unknown as Record<
        string,
        (asked: Request) => unknown
      >;
      return router[name.slice('part.'.length)]?.(request);
    }
    const here = this.rooms.get(roomId);
    if (here?.epoch !== epoch) throw new ParleyError('NOT_FOUND', 'no such room');
    const room = await here.room;
    const peer = request as unknown as SimulatedPeer;
    if (name === 'join') await room.join(peer);
    if (name === 'resume' && !room.has(peer.peerId)) throw new ParleyError('NOT_FOUND', 'no such peer');
    if (name === 'leave') room.leave(peer.peerId);
    return {};
  }

  /** A router that it lends to another node's room. */
  lent(routerId: string): SimulatedRouter | undefined {
    return this.#lent.get(routerId);
  }

  async vacate(nodeId: string): Promise<void> {
    for (const room of await this.openRooms()) room.vacate(nodeId);
  }

  close(): void {
    this.#remote.close();
    this.host.closeAll();
  }

  async #open(roomId: string, epoch: number): Promise<void> {
    const here = this.rooms.get(roomId);
    if (here && here.epoch >= epoch) return void (await here.room);
    void here?.room.then((room) => room.close());
    const onLost = (peerIds: string[]) => this.#cluster.onLost(peerIds);
    const room = SimulatedRoom.open(roomId, this.#factory, onLost);
    this.rooms.set(roomId, { epoch, room });
    await room;
  }
}

/** Nodes that share a table of owners and see each other's loads. */
export class SimulatedCluster {
  readonly owners = new SimulatedOwners();
  readonly nodes = new Map<string, SimulatedNode>();
  /** The loads of the last heartbeats. */
  readonly reported = new Map<string, Candidate>();
  /** Called with the peers that have to join again because their router is gone or leaves. */
  onLost: (peerIds: string[]) => void = () => undefined;

  constructor(nodes: number, workersPerNode: number) {
    for (let index = 0; index < nodes; index++) {
      const node = new SimulatedNode(this, `node ${index}`, workersPerNode);
      this.nodes.set(node.id, node);
    }
    this.beat();
  }

  get all(): SimulatedNode[] {
    return [...this.nodes.values()];
  }

  measure(): void {
    for (const node of this.nodes.values()) node.measure();
  }

  /** The number of pipes of a router. Zero if there is no such router. */
  pipesOf(router: RoomRouter): number {
    const local =
      router instanceof SimulatedRouter ? router : this.nodes.get(router.nodeId ?? '')?.lent(router.id);
    return local?.pipes.size ?? 0;
  }

  /** All nodes write and read a heartbeat. */
  beat(): void {
    for (const { id, load, cpu, isDraining: draining } of this.nodes.values())
      this.reported.set(id, { id, load, cpu, draining, seenMsAgo: 250 });
  }

  kill(dead: SimulatedNode): void {
    this.nodes.delete(dead.id);
    this.reported.delete(dead.id);
    for (const node of this.all) node.links.events.emit('died', dead.id);
    dead.close();
  }

  /** Does what each node does at the first heartbeat that says that a node drains. */
  drain(leaving: SimulatedNode): void {
    leaving.isDraining = true;
    this.beat();
    for (const node of this.all) {
      node.links.events.emit('draining', leaving.id);
      void node.vacate(leaving.id);
    }
  }
}
