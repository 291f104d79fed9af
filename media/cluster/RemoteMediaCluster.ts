import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { roomCapabilities } from '../router/codecs.ts';
import type { MediaCluster, MediaEvents, NodeUsage } from '../MediaCluster.ts';
import type { PeerInfo, RoomOperations } from '../roomOperations.ts';
import { FormerOwners } from './FormerOwners.ts';
import { KnownRooms, retryMs } from './KnownRooms.ts';
import { RemoteRoom } from './RemoteRoom.ts';
import type { Owner, RoomOwners } from './RoomOwners.ts';
import type { NodeEventName, NodeEvent } from './rpc.ts';
import type { MediaLinks } from './MediaLinks.ts';

interface RemoteMediaOptions {
  owners: RoomOwners;
  nodes: MediaLinks;
  /** This node's id in its present life. */
  ownId: () => string;
  log: Logger;
}

/** The longest pause between two attempts to move a room. */
const maxPauseMs = 2_000;

/**
 * The rooms of all media nodes. When a node dies, its rooms are opened empty on other nodes under a higher epoch, and those of their peers
 * that joined through this node are asked to join again.
 */
export class RemoteMediaCluster implements MediaCluster {
  readonly rtpCapabilities = roomCapabilities;
  readonly #owners: RoomOwners;
  readonly #nodes: MediaLinks;
  readonly #ownId: () => string;
  readonly #log: Logger;
  readonly #events = new EventEmitter();
  readonly #rooms: KnownRooms;
  readonly #formerOwners: FormerOwners;
  #closed = false;

  constructor({ owners, nodes, ownId, log }: RemoteMediaOptions) {
    this.#owners = owners;
    this.#ownId = ownId;
    this.#nodes = nodes;
    this.#log = log;
    this.#rooms = new KnownRooms({
      owners,
      nodes,
      onMoved: (roomId, peers, former) => this.#onMoved(roomId, peers, former),
      log,
    });
    this.#formerOwners = new FormerOwners(nodes, log);
    nodes.onEvent((name, event) => this.#onEvent(name, event));
    nodes.onEnded(() => this.#rooms.clear());
    nodes.onMissed((nodeId) => {
      for (const roomId of this.#rooms.on(nodeId)) this.#emitMissed(roomId);
    });
    nodes.onDraining((nodeId) => {
      for (const roomId of this.#rooms.on(nodeId)) void this.#handOver(roomId);
    });
    nodes.onDied((nodeId) => {
      for (const roomId of this.#rooms.on(nodeId)) void this.#move(roomId);
    });
  }

  /** Opens the room on its owner. If it has none, or its owner is dead, a living node becomes the owner. */
  async openRoom(roomId: string): Promise<void> {
    await this.#rooms.open(roomId, 'new or known');
  }

  async closeRoom(roomId: string): Promise<void> {
    this.#rooms.forget(roomId);
    const owner = await this.#owners.release(roomId);
    // The request does not wait for the media to close.
    if (owner) void this.#rooms.closeOn(roomId, owner);
  }

  room(roomId: string): RoomOperations {
    const [rooms, nodes, formerOwners, ownId] = [this.#rooms, this.#nodes, this.#formerOwners, this.#ownId];
    const onUnreported = (peer: PeerInfo) =>
      this.#events.emit('arriving', { roomId, peer, isArriving: true });
    return new RemoteRoom(roomId, { rooms, nodes, formerOwners, ownId, onUnreported });
  }

  usageOf(roomId: string): NodeUsage | null {
    const nodeId = this.#rooms.get(roomId)?.owner.nodeId;
    return (nodeId !== undefined && this.#nodes.candidate(nodeId)) || null;
  }

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void {
    this.#events.on(event, handler);
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#rooms.close();
    return Promise.resolve();
  }

  /**
   * Handles the death of a room's owner, or the owner's report that it has closed the room. Opens the room on its current or a new owner,
   * unless it has ended, and asks the peers that joined through this node to join again. Until the database and a media node are there, this
   * is repeated: nobody else would tell these peers.
   */
  async #move(roomId: string): Promise<void> {
    const room = this.#rooms.get(roomId);
    if (!room) return;
    const lost = [...room.peers.values()];
    room.peers.clear();
    if (lost.length === 0) return void this.#rooms.forget(roomId);
    for (let attempt = 1; !this.#closed; attempt++) {
      try {
        if (!(await this.#rooms.open(roomId, 'known'))) return void this.#rooms.forget(roomId);
        // The room ended in the meantime and must not stay open.
        if (!(await this.#owners.find(roomId))) return await this.#rooms.closeOn(roomId, room.owner);
        this.#log.info({ roomId, node: room.owner.nodeId, epoch: room.owner.epoch }, 'room moved');
        this.#events.emit('roomRestarted', { roomId, lost, cause: 'node' });
        return;
      } catch (err) {
        this.#log.warn({ err, roomId, attempt }, 'room could not be moved');
        await delay(Math.min(retryMs * attempt, maxPauseMs), undefined, { ref: false });
      }
    }
  }

  #emitMissed(roomId: string): void {
    const peers = [...(this.#rooms.get(roomId)?.peers.values() ?? [])];
    if (peers.length === 0) return;
    this.#log.info({ roomId, peers: peers.length }, 'events of a room were missed');
    this.#events.emit('eventsMissed', { roomId, peers });
  }

  /** Opens the room on another node while media still flows on the current one. */
  async #handOver(roomId: string): Promise<void> {
    try {
      await this.#rooms.handOver(roomId);
    } catch (err) {
      this.#log.warn({ err, roomId }, 'room could not be handed over yet');
    }
  }

  /** Asks peers to join again on the new owner of their room. While the former one lives, their packets flow through it until then. */
  #onMoved(roomId: string, peers: PeerInfo[], former: Owner): void {
    const isServing = this.#nodes.candidate(former.nodeId) !== undefined;
    if (isServing) for (const { peerId } of peers) this.#formerOwners.add(peerId, former);
    this.#log.info({ roomId, from: former.nodeId, peers: peers.length }, 'room handed over');
    if (isServing) this.#events.emit('roomMoving', { roomId, peers });
    else this.#events.emit('roomRestarted', { roomId, lost: peers, cause: 'node' });
  }

  #onEvent<Name extends NodeEventName>(name: Name, payload: NodeEvent[Name]): void {
    // Events of routers are for the owner of the room.
    if (name === 'router') return;
    const event = payload as NodeEvent[Exclude<NodeEventName, 'router'>];
    const { roomId } = event;
    const room = this.#rooms.get(roomId);
    if (name === 'peerGone') room?.peers.delete((event as NodeEvent['peerGone']).peerId);
    if (name === 'roomClosed') {
      const { epoch } = event as NodeEvent['roomClosed'];
      // The room ended or has another owner. Its peers are asked to join it again there, unless they already have been.
      if (room && room.owner.epoch <= epoch) void this.#move(roomId);
      return;
    }
    if (name === 'roomRestarted') {
      for (const { peerId } of (event as NodeEvent['roomRestarted']).lost) room?.peers.delete(peerId);
    }
    if (name === 'arriving' || name === 'quality') {
      const { peer, isArriving } = event as NodeEvent['arriving' | 'quality'];
      const isOwn = room?.peers.has(peer.peerId) ?? false;
      // The peer may still send to the former owner of the room, which it is about to leave.
      if (name === 'arriving' && !isOwn) return;
      // A node of the previous release reports arrival with the quality.
      if (name === 'quality' && isOwn && isArriving)
        this.#events.emit('arriving', { roomId, peer, isArriving });
    }
    this.#events.emit(name, event);
  }
}
