import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import { execute, type AnswerOf, type RequestOf } from '../operations.ts';
import { roomOperations, type PeerInfo } from '../roomOperations.ts';
import type { routerOperations } from '../router/routerOperations.ts';
import type { NodeEventName, NodeEvent, RpcName, RpcRequest, RpcResponse, EmitNodeEvent } from './rpc.ts';

interface HostedRoom {
  epoch: number;
  /** By peer id: the signalling node to which the peer's device is connected. */
  homes: Map<string, string>;
  /** Signalling nodes that have opened the room or use it, and are notified when it closes. */
  watchers: Set<string>;
}

type RoomMap = typeof roomOperations;
type RouterMap = typeof routerOperations;
/** Requests that are not operations of a room or a router. */
type Managing = Exclude<RpcName, keyof RoomMap | `part.${keyof RouterMap}`>;

/**
 * Serves the media of this process to signalling nodes. Rooms have epochs. A request with a lower epoch comes from a node that does not
 * know yet that the room moved, and is refused. A request with a higher epoch means that this node's copy of the room is outdated, so it is
 * closed. Events of a room are sent only to the signalling nodes of its peers.
 */
export class MediaNode {
  readonly #local: LocalMediaCluster;
  readonly #log: Logger;
  readonly #rooms = new Map<string, HostedRoom>();
  readonly #homes = new Map<string, EmitNodeEvent>();
  readonly #managing: {
    [Name in Managing]: (home: string, request: RpcRequest<Name>) => Promise<RpcResponse<Name>>;
  };

  /** Updates the signalling nodes of peers after an operation. */
  readonly #after: {
    [Name in keyof RoomMap]?: (
      by: { home: string; roomId: string },
      request: RequestOf<RoomMap, Name>,
      answer: AnswerOf<RoomMap, Name>,
    ) => void;
  } = {
    resume: ({ home, roomId }, { peerId }) => {
      this.#releasePeer(roomId, peerId, home);
      this.#rooms.get(roomId)?.homes.set(peerId, home);
    },
    leave: ({ home, roomId }, { peerId }) => this.#releasePeer(roomId, peerId, home),
    removeParticipant: ({ home, roomId }, _request, { peerIds }) => {
      for (const peerId of peerIds) this.#releasePeer(roomId, peerId, home);
    },
  };

  constructor(local: LocalMediaCluster, log: Logger) {
    this.#local = local;
    this.#log = log;
    const { host } = local;
    this.#managing = {
      openRoom: (home, request) => this.#open(home, request),
      // A room that was opened again under a higher epoch stays.
      closeRoom: async (_home, { roomId, epoch }) => {
        if ((this.#rooms.get(roomId)?.epoch ?? Infinity) <= epoch) await this.#close(roomId);
      },
      'part.open': (owner, request) => host.open(owner, request),
      'part.close': (owner, { routerId }) => Promise.resolve(host.close(owner, routerId)),
      'part.keep': (owner, { routerIds }) => Promise.resolve(host.keep(owner, routerIds)),
    };
    for (const name of ['consumer', 'consumerClosed', 'egressChanged', 'layersWanted'] as const)
      local.on(name, (event) => this.#notifyHomeOf(event.roomId, event.to, name, event));
    for (const name of ['disconnected', 'arriving'] as const)
      local.on(name, (event) => this.#notifyHomeOf(event.roomId, event.peer, name, event));
    for (const name of ['peerUpdated', 'speakers', 'quality'] as const) {
      local.on(name, (event) => {
        for (const home of this.#homesOf(event.roomId)) this.#notify(home, name, event);
      });
    }
    local.on('roomRestarted', ({ roomId, lost, cause }) => {
      for (const [home, own] of this.#byHome(roomId, lost))
        this.#notify(home, 'roomRestarted', { roomId, lost: own, cause });
      const homes = this.#rooms.get(roomId)?.homes;
      for (const { peerId } of lost) homes?.delete(peerId);
    });
    local.on('roomMoving', ({ roomId, peers }) => {
      for (const [home, own] of this.#byHome(roomId, peers))
        this.#notify(home, 'roomMoving', { roomId, peers: own });
    });
    local.on('peerGone', ({ roomId, peerId }) => this.#releasePeer(roomId, peerId));
    host.onEvent((owner, routerId, event) => this.#notify(owner, 'router', { routerId, event }));
  }

  /** The rooms on this node, with their epochs. */
  get rooms(): Map<string, number> {
    return new Map([...this.#rooms].map(([roomId, { epoch }]) => [roomId, epoch]));
  }

  /**
   * Starts to send events to a signalling node that has connected. Its clients resume to get the state they missed.
   * @returns a function that stops sending them
   */
  attach(home: string, emit: EmitNodeEvent): () => void {
    this.#homes.set(home, emit);
    return () => {
      if (this.#homes.get(home) === emit) this.#homes.delete(home);
    };
  }

  /**
   * Requests about a router are executed in the order in which they arrive.
   * @throws ParleyError; CONFLICT when the epoch is lower than the room's
   */
  async handle<Name extends RpcName>(
    home: string,
    name: Name,
    request: RpcRequest<Name>,
  ): Promise<RpcResponse<Name>> {
    return (await this.#answer(home, name, request as never)) as RpcResponse<Name>;
  }

  /**
   * Closes those of the `known` rooms that this node does not own (any more).
   * @param owned this node's rooms in the table of owners, with their epochs
   * @param known this node's open rooms, listed before that table was read, with their epochs
   */
  async closeDisowned(owned: ReadonlyMap<string, number>, known: ReadonlyMap<string, number>): Promise<void> {
    for (const [roomId, epoch] of known) {
      const here = this.#rooms.get(roomId);
      if (here?.epoch !== epoch || owned.get(roomId) === epoch) continue;
      this.#log.warn({ roomId, epoch }, 'closed a room of another owner');
      await this.#close(roomId);
    }
  }

  /** Closes everything after this node was declared dead: other nodes own its rooms now. */
  async closeAll(): Promise<void> {
    this.#local.host.closeAll();
    await Promise.all([...this.#rooms.keys()].map((roomId) => this.#close(roomId)));
  }

  /** Closes the routers that rooms of another node had here, because that node is dead. */
  onDied(nodeId: string): void {
    this.#local.host.closeOf(nodeId);
  }

  #answer(home: string, name: RpcName, request: never): Promise<unknown> {
    if (name in this.#managing) return this.#managing[name as Managing](home, request);
    if (name in roomOperations) return this.#handleRoom(home, name as keyof RoomMap, request);
    const { routerId, ...rest } = request as { routerId: string };
    const operation = name.replace('part.', '') as keyof RouterMap;
    return execute<RouterMap, typeof operation>(
      this.#local.host.router(home, routerId),
      operation,
      rest as never,
    );
  }

  async #handleRoom<Name extends keyof RoomMap>(
    home: string,
    name: Name,
    { roomId, epoch, ...rest }: RpcRequest<'openRoom'> & RequestOf<RoomMap, Name>,
  ): Promise<AnswerOf<RoomMap, Name>> {
    const room = await this.#room(roomId, epoch);
    // A node that has used the room remembers its owner, until it learns that the room is closed.
    room.watchers.add(home);
    const request = rest as unknown as RequestOf<RoomMap, Name>;
    const run = () => execute(this.#local.room(roomId), name, request);
    if (entering.has(name)) {
      const { peerId } = request as { peerId: string };
      return this.#enter(home, room, { roomId, peerId }, run);
    }
    const answer = await run();
    this.#after[name]?.({ home, roomId }, request, answer);
    return answer;
  }

  /** Adds a peer and records `home` as its signalling node, before events about the peer arrive. */
  async #enter<T>(
    home: string,
    room: HostedRoom,
    { roomId, peerId }: { roomId: string; peerId: string },
    enter: () => Promise<T>,
  ): Promise<T> {
    room.homes.set(peerId, home);
    try {
      const entered = await enter();
      // A join that is repeated after a lost answer replaces the peer with itself.
      const replaced = (entered as { replaced?: PeerInfo | null }).replaced?.peerId;
      if (replaced && replaced !== peerId) this.#releasePeer(roomId, replaced, home);
      return entered;
    } catch (error) {
      room.homes.delete(peerId);
      throw error;
    }
  }

  async #open(home: string, { roomId, epoch }: RpcRequest<'openRoom'>): Promise<void> {
    const here = this.#rooms.get(roomId);
    if (here && here.epoch > epoch) throw stale();
    if (here && here.epoch < epoch) await this.#close(roomId);
    const room = this.#rooms.get(roomId) ?? { epoch, homes: new Map(), watchers: new Set() };
    this.#rooms.set(roomId, room);
    room.watchers.add(home);
    try {
      await this.#local.openRoom(roomId);
    } catch (error) {
      if (this.#rooms.get(roomId) === room) this.#rooms.delete(roomId);
      throw error;
    }
  }

  async #close(roomId: string): Promise<void> {
    const room = this.#rooms.get(roomId);
    this.#rooms.delete(roomId);
    await this.#local.closeRoom(roomId);
    if (!room) return;
    for (const home of room.watchers) this.#notify(home, 'roomClosed', { roomId, epoch: room.epoch });
  }

  async #room(roomId: string, epoch: number): Promise<HostedRoom> {
    const room = this.#rooms.get(roomId);
    if (room && room.epoch > epoch) throw stale();
    if (room?.epoch === epoch) return room;
    if (room) await this.#close(roomId);
    throw new ParleyError('NOT_FOUND', 'There is no such room on this node, or it has ended.');
  }

  /** Groups peers by their signalling node. */
  #byHome(roomId: string, peers: PeerInfo[]): Map<string, PeerInfo[]> {
    const homes = this.#rooms.get(roomId)?.homes;
    const byHome = new Map<string, PeerInfo[]>();
    for (const peer of peers) {
      const home = homes?.get(peer.peerId);
      if (home) byHome.set(home, [...(byHome.get(home) ?? []), peer]);
    }
    return byHome;
  }

  /** Forgets the signalling node of a peer, and notifies that node unless the request came from it. */
  #releasePeer(roomId: string, peerId: string, by?: string): void {
    const homes = this.#rooms.get(roomId)?.homes;
    const former = homes?.get(peerId);
    homes?.delete(peerId);
    if (former && former !== by) this.#notify(former, 'peerGone', { roomId, peerId });
  }

  #homesOf(roomId: string): Set<string> {
    return new Set(this.#rooms.get(roomId)?.homes.values());
  }

  #notifyHomeOf<Name extends NodeEventName>(
    roomId: string,
    { peerId }: PeerInfo,
    name: Name,
    event: NodeEvent[Name],
  ): void {
    const home = this.#rooms.get(roomId)?.homes.get(peerId);
    if (home) this.#notify(home, name, event);
  }

  #notify<Name extends NodeEventName>(home: string, name: Name, event: NodeEvent[Name]): void {
    this.#homes.get(home)?.(name, event);
  }
}

/** Operations that add a peer. */
export const entering = new Set<keyof RoomMap>(['join', 'joinConnected', 'openIngest', 'openEgress']);

const staleReason = 'stale_epoch';
const stale = () =>
  new ParleyError('CONFLICT', 'This room has moved: look up its owner again.', { reason: staleReason });

export const isStale = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === staleReason;
