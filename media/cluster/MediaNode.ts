import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { LocalMediaCluster } from './LocalMediaCluster.ts';
import type { PeerInfo } from '../MediaCluster.ts';
import type { NodeEventName, NodeEvent, RpcName, RpcRequest, RpcResponse, EmitNodeEvent } from './rpc.ts';

interface HostedRoom {
  epoch: number;
  /** By peer id: the signalling node to which the peer's device is connected. */
  homes: Map<string, string>;
  /** Signalling nodes that have opened the room or use it, and are notified when it closes. */
  watchers: Set<string>;
}

type Handlers = {
  [Name in RpcName]: (home: string, request: RpcRequest<Name>) => Promise<RpcResponse<Name>>;
};

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
  readonly #handlers: Handlers;

  constructor(local: LocalMediaCluster, log: Logger) {
    this.#local = local;
    this.#log = log;
    this.#handlers = this.#createHandlers();
    local.on('consumer', (event) => this.#notifyHomeOf(event.roomId, event.to, 'consumer', event));
    local.on('consumerClosed', (event) =>
      this.#notifyHomeOf(event.roomId, event.to, 'consumerClosed', event),
    );
    local.on('peerUpdated', (event) => {
      for (const home of this.#homesOf(event.roomId)) this.#notify(home, 'peerUpdated', event);
    });
    for (const name of ['speakers', 'quality'] as const) {
      local.on(name, (event) => {
        for (const home of this.#homesOf(event.roomId)) this.#notify(home, name, event);
      });
    }
    local.on('disconnected', (event) => this.#notifyHomeOf(event.roomId, event.peer, 'disconnected', event));
    local.on('egressChanged', (event) => this.#notifyHomeOf(event.roomId, event.to, 'egressChanged', event));
    local.on('layersWanted', (event) => this.#notifyHomeOf(event.roomId, event.to, 'layersWanted', event));
    local.on('roomRestarted', ({ roomId, lost }) => {
      for (const [home, own] of this.#byHome(roomId, lost))
        this.#notify(home, 'roomRestarted', { roomId, lost: own });
      const homes = this.#rooms.get(roomId)?.homes;
      for (const { peerId } of lost) homes?.delete(peerId);
    });
    local.on('roomMoving', ({ roomId, peers }) => {
      for (const [home, own] of this.#byHome(roomId, peers))
        this.#notify(home, 'roomMoving', { roomId, peers: own });
    });
    local.host.onEvent((owner, routerId, event) => this.#notify(owner, 'router', { routerId, event }));
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

  /** @throws ParleyError; CONFLICT when the epoch is lower than the room's */
  handle<Name extends RpcName>(
    home: string,
    name: Name,
    request: RpcRequest<Name>,
  ): Promise<RpcResponse<Name>> {
    return this.#handlers[name](home, request);
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

  #createHandlers(): Handlers {
    const local = this.#local;
    const nothing = async (done: Promise<unknown>) => {
      await done;
      return {};
    };
    return {
      openRoom: (home, { roomId, epoch }) => this.#open(home, roomId, epoch),
      closeRoom: async (_home, { roomId, epoch }) => {
        // Keep a room that was opened again under a higher epoch.
        if ((this.#rooms.get(roomId)?.epoch ?? Infinity) <= epoch) await this.#close(roomId);
        return {};
      },
      join: (home, { roomId, epoch, ...peer }) =>
        this.#enter(home, { roomId, epoch, peerId: peer.peerId }, () => local.join(roomId, peer)),
      openIngest: (home, { roomId, epoch, nodeId, ...ingest }) =>
        this.#enter(home, { roomId, epoch, peerId: ingest.peerId }, () =>
          local.openIngest(roomId, ingest, nodeId),
        ),
      openEgress: (home, { roomId, epoch, nodeId, ...egress }) =>
        this.#enter(home, { roomId, epoch, peerId: egress.peerId }, () =>
          local.openEgress(roomId, egress, nodeId),
        ),
      requestKeyFrame: async (_home, { roomId, epoch, peerId }) => {
        await this.#room(roomId, epoch);
        return nothing(local.requestKeyFrame(roomId, peerId));
      },
      countPackets: async (_home, { roomId, epoch, peerId }) => {
        await this.#room(roomId, epoch);
        return local.countPackets(roomId, peerId);
      },
      resume: async (home, { roomId, epoch, ...peer }) => {
        const room = await this.#room(roomId, epoch);
        const resumed = await local.resume(roomId, peer);
        this.#releasePeer(roomId, peer.peerId, home);
        room.watchers.add(home);
        room.homes.set(peer.peerId, home);
        return resumed;
      },
      packaged: async (_home, { roomId, epoch }) => {
        await this.#room(roomId, epoch);
        return local.packaged(roomId);
      },
      packagedFile: async (_home, { roomId, epoch, packageId, name }) => {
        await this.#room(roomId, epoch);
        return { bytes: await local.packagedFile(roomId, packageId, name) };
      },
      leave: async (home, { roomId, epoch, peerId }) => {
        await this.#room(roomId, epoch);
        await local.leave(roomId, peerId);
        this.#releasePeer(roomId, peerId, home);
        return {};
      },
      removeParticipant: async (home, { roomId, epoch, identity }) => {
        await this.#room(roomId, epoch);
        for (const peerId of await local.removeParticipant(roomId, identity))
          this.#releasePeer(roomId, peerId, home);
        return {};
      },
      peers: async (_home, { roomId, epoch }) => {
        await this.#room(roomId, epoch);
        return local.peers(roomId);
      },
      connectTransport: async (_home, { roomId, epoch, peerId, transportId, dtlsParameters }) => {
        await this.#room(roomId, epoch);
        return nothing(local.connectTransport(roomId, peerId, transportId, dtlsParameters));
      },
      restartIce: async (_home, { roomId, epoch, peerId, transportId }) => {
        await this.#room(roomId, epoch);
        return local.restartIce(roomId, peerId, transportId);
      },
      produce: async (_home, { roomId, epoch, peerId, ...producer }) => {
        await this.#room(roomId, epoch);
        return local.produce(roomId, peerId, producer);
      },
      closeProducer: async (_home, { roomId, epoch, peerId, source }) => {
        await this.#room(roomId, epoch);
        return nothing(local.closeProducer(roomId, peerId, source));
      },
      setPaused: async (_home, { roomId, epoch, peerId, source, paused }) => {
        await this.#room(roomId, epoch);
        return local.setPaused(roomId, peerId, source, paused);
      },
      resumeConsumers: async (_home, { roomId, epoch, peerId, consumerIds }) => {
        await this.#room(roomId, epoch);
        return nothing(local.resumeConsumers(roomId, peerId, consumerIds));
      },
      setViews: async (_home, { roomId, epoch, peerId, views }) => {
        await this.#room(roomId, epoch);
        return nothing(local.setViews(roomId, peerId, views));
      },
      ...local.host.handlers,
    };
  }

  /** Adds a peer and records `home` as its signalling node. */
  async #enter<T extends object>(
    home: string,
    { roomId, epoch, peerId }: { roomId: string; epoch: number; peerId: string },
    enter: () => Promise<T>,
  ): Promise<T> {
    const room = await this.#room(roomId, epoch);
    room.watchers.add(home);
    room.homes.set(peerId, home);
    try {
      const entered = await enter();
      // A join that is repeated after a lost answer replaces the peer with itself.
      const replaced = replacedBy(entered)?.peerId;
      if (replaced && replaced !== peerId) this.#releasePeer(roomId, replaced, home);
      return entered;
    } catch (error) {
      room.homes.delete(peerId);
      throw error;
    }
  }

  async #open(home: string, roomId: string, epoch: number): Promise<Record<string, never>> {
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
    return {};
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
  #releasePeer(roomId: string, peerId: string, by: string): void {
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

const replacedBy = (entered: object): PeerInfo | null =>
  'replaced' in entered ? (entered.replaced as PeerInfo | null) : null;

const staleReason = 'stale_epoch';
const stale = () =>
  new ParleyError('CONFLICT', 'This room has moved: look up its owner again.', { reason: staleReason });

export const isStale = (error: unknown): boolean =>
  error instanceof ParleyError && error.reason === staleReason;
