import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ortc } from 'mediasoup';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { DtlsParameters, IceParameters, Source } from '../../sdk/protocol/media.ts';
import { mediaCodecs } from '../router/codecs.ts';
import type {
  JoinedPeer,
  MediaCluster,
  MediaEvents,
  NewIngest,
  NewPeer,
  NewProducer,
  NewEgress,
  OpenIngest,
  OpenEgress,
  PacketCount,
  PeerInfo,
  ResumedPeer,
  ReturningPeer,
  View,
} from '../MediaCluster.ts';
import { gone, KnownRooms, retryMs } from './KnownRooms.ts';
import { isStale } from './MediaNode.ts';
import type { RouterRpcName } from './RouterHost.ts';
import type { Packaged } from '../Packaging.ts';
import type { Owner, RoomOwners } from './RoomOwners.ts';
import type { NodeEventName, NodeEvent, RpcName, RpcRequest, RpcResponse } from './rpc.ts';
import type { MediaNodes } from './MediaNodes.ts';

type RoomRpcName = Exclude<RpcName, RouterRpcName>;
type RoomRequest<Name extends RoomRpcName> = Omit<RpcRequest<Name>, 'roomId' | 'epoch'>;

interface RemoteMediaOptions {
  owners: RoomOwners;
  nodes: MediaNodes;
  /** This node's id in its present life. */
  ownId: () => string;
  log: Logger;
}

const moveAttempts = 5;

/**
 * The rooms of all media nodes. When a node dies, its rooms are opened empty on other nodes under a higher epoch, and those of their peers
 * that joined through this node are asked to join again.
 */
export class RemoteMediaCluster implements MediaCluster {
  readonly rtpCapabilities = ortc.generateRouterRtpCapabilities(mediaCodecs);
  readonly #owners: RoomOwners;
  readonly #nodes: MediaNodes;
  readonly #ownId: () => string;
  readonly #log: Logger;
  readonly #events = new EventEmitter();
  readonly #rooms: KnownRooms;
  /**
   * Peers whose room was handed over, with the former owner of that room. An entry stays until the peer leaves or has joined the room on
   * its new owner.
   */
  readonly #leftBehind = new Map<string, Owner>();
  #closed = false;

  constructor({ owners, nodes, ownId, log }: RemoteMediaOptions) {
    this.#owners = owners;
    this.#ownId = ownId;
    this.#nodes = nodes;
    this.#log = log;
    this.#rooms = new KnownRooms({ owners, nodes, log });
    nodes.onEvent((name, event) => this.#onEvent(name, event));
    nodes.onEnded(() => this.#rooms.clear());
    nodes.onMissed((nodeId) => {
      for (const roomId of this.#rooms.on(nodeId)) this.#emitMissed(roomId);
    });
    nodes.onDraining((nodeId) => {
      for (const roomId of this.#rooms.on(nodeId)) void this.#handOver(roomId);
    });
    nodes.onDied((nodeId) => {
      for (const [peerId, former] of this.#leftBehind)
        if (former.nodeId === nodeId) this.#leftBehind.delete(peerId);
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

  async join(roomId: string, peer: NewPeer): Promise<JoinedPeer> {
    const joined = await this.#call(roomId, 'join', peer);
    // The device closes its former connection itself, as soon as packets flow over the new one.
    this.#leftBehind.delete(peer.peerId);
    this.#remember(roomId, peer, joined.replaced);
    return joined;
  }

  /** Remembers a peer that joined through this node, so that it can be asked to join again. */
  #remember(
    roomId: string,
    { peerId, tag }: Pick<NewPeer, 'peerId' | 'tag'>,
    replaced: PeerInfo | null,
  ): void {
    const known = this.#rooms.get(roomId);
    if (replaced) known?.peers.delete(replaced.peerId);
    known?.peers.set(peerId, { peerId, tag, sending: [] });
  }

  /** This node's id, to be sent to the room's owner; null if this node is the owner. */
  #seenFrom({ nodeId }: Owner): string | null {
    const ownId = this.#ownId();
    return nodeId === ownId ? null : ownId;
  }

  async resume(roomId: string, peer: ReturningPeer): Promise<ResumedPeer> {
    const resumed = await this.#call(roomId, 'resume', peer);
    this.#rooms.get(roomId)?.peers.set(peer.peerId, { peerId: peer.peerId, tag: peer.tag, sending: [] });
    return resumed;
  }

  async openIngest(roomId: string, ingest: NewIngest): Promise<OpenIngest> {
    const opened = await this.#call(roomId, 'openIngest', (owner) => ({
      ...ingest,
      nodeId: this.#seenFrom(owner),
    }));
    this.#remember(roomId, ingest, opened.replaced);
    await this.#leaveBehind(roomId, ingest.peerId);
    return opened;
  }

  async openEgress(roomId: string, egress: NewEgress): Promise<OpenEgress> {
    const opened = await this.#call(roomId, 'openEgress', (owner) => ({
      ...egress,
      nodeId: this.#seenFrom(owner),
    }));
    this.#remember(roomId, egress, null);
    await this.#leaveBehind(roomId, egress.peerId);
    return opened;
  }

  async requestKeyFrame(roomId: string, peerId: string): Promise<void> {
    await this.#call(roomId, 'requestKeyFrame', { peerId });
  }

  countPackets(roomId: string, peerId: string): Promise<PacketCount[]> {
    return this.#call(roomId, 'countPackets', { peerId });
  }

  packaged(roomId: string): Promise<Packaged> {
    return this.#call(roomId, 'packaged', {});
  }

  async packagedFile(roomId: string, packageId: string, name: string): Promise<Buffer | null> {
    const { bytes } = await this.#call(roomId, 'packagedFile', { packageId, name });
    return bytes === null ? null : Buffer.from(bytes);
  }

  async leave(roomId: string, peerId: string): Promise<void> {
    this.#rooms.get(roomId)?.peers.delete(peerId);
    if (await this.#leaveBehind(roomId, peerId)) return;
    await unlessGone(this.#call(roomId, 'leave', { peerId }));
  }

  async removeParticipant(roomId: string, identity: string): Promise<void> {
    // The removed peer stays in this node's list if it joined through this node. If the owner dies, the peer is needlessly asked to join
    // again.
    await unlessGone(this.#call(roomId, 'removeParticipant', { identity }));
  }

  peers(roomId: string): Promise<PeerInfo[]> {
    return this.#call(roomId, 'peers', {});
  }

  async connectTransport(
    roomId: string,
    peerId: string,
    transportId: string,
    dtlsParameters: DtlsParameters,
  ): Promise<void> {
    await this.#call(roomId, 'connectTransport', { peerId, transportId, dtlsParameters });
  }

  restartIce(roomId: string, peerId: string, transportId: string): Promise<IceParameters> {
    return this.#call(roomId, 'restartIce', { peerId, transportId });
  }

  produce(roomId: string, peerId: string, producer: NewProducer): Promise<{ producerId: string }> {
    return this.#call(roomId, 'produce', { peerId, ...producer });
  }

  async closeProducer(roomId: string, peerId: string, source: Source): Promise<void> {
    await this.#call(roomId, 'closeProducer', { peerId, source });
  }

  setPaused(roomId: string, peerId: string, source: Source, paused: boolean): Promise<boolean> {
    return this.#call(roomId, 'setPaused', { peerId, source, paused });
  }

  async resumeConsumers(roomId: string, peerId: string, consumerIds: string[]): Promise<void> {
    await this.#call(roomId, 'resumeConsumers', { peerId, consumerIds });
  }

  async setViews(roomId: string, peerId: string, views: View[]): Promise<void> {
    await this.#call(roomId, 'setViews', { peerId, views });
  }

  on<Name extends keyof MediaEvents>(event: Name, handler: (payload: MediaEvents[Name]) => void): void {
    this.#events.on(event, handler);
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#rooms.close();
    return Promise.resolve();
  }

  /** Sends a request to the room's owner, and again to the new owner if the room has moved. */
  async #call<Name extends RoomRpcName>(
    roomId: string,
    name: Name,
    asked: RoomRequest<Name> | ((owner: Owner) => RoomRequest<Name>),
  ): Promise<RpcResponse<Name>> {
    for (let attempt = 1; ; attempt++) {
      const { owner } = this.#rooms.get(roomId) ?? (await this.#rooms.load(roomId));
      const link = await this.#nodes.link(owner.nodeId);
      // The owner is dead. Its peers are about to be asked to join again.
      if (!link) throw gone();
      const request = typeof asked === 'function' ? asked(owner) : asked;
      try {
        return await link.call(name, { roomId, epoch: owner.epoch, ...request } as RpcRequest<Name>);
      } catch (error) {
        const isMoved = isStale(error) || (error instanceof ParleyError && error.code === 'NOT_FOUND');
        if (!isMoved || attempt > 1 || !(await this.#rooms.hasMoved(roomId, owner))) throw error;
      }
    }
  }

  /**
   * Handles the death of a room's owner, or the owner's report that it has closed the room. Opens the room on its current or a new owner,
   * unless it has ended, and asks the peers that joined through this node to join again.
   */
  async #move(roomId: string): Promise<void> {
    const room = this.#rooms.get(roomId);
    if (!room) return;
    const lost = [...room.peers.values()];
    room.peers.clear();
    if (lost.length === 0) return void this.#rooms.forget(roomId);
    for (let attempt = 1; attempt <= moveAttempts && !this.#closed; attempt++) {
      try {
        if (!(await this.#rooms.open(roomId, 'known'))) return void this.#rooms.forget(roomId);
        // The room ended in the meantime and must not stay open.
        if (!(await this.#owners.find(roomId))) return await this.#rooms.closeOn(roomId, room.owner);
        this.#log.info({ roomId, node: room.owner.nodeId, epoch: room.owner.epoch }, 'room moved');
        this.#events.emit('roomRestarted', { roomId, lost });
        return;
      } catch (err) {
        this.#log.warn({ err, roomId, attempt }, 'room could not be moved');
        await delay(retryMs * attempt);
      }
    }
  }

  #emitMissed(roomId: string): void {
    const peers = [...(this.#rooms.get(roomId)?.peers.values() ?? [])];
    if (peers.length === 0) return;
    this.#log.info({ roomId, peers: peers.length }, 'events of a room were missed');
    this.#events.emit('eventsMissed', { roomId, peers });
  }

  /** Opens the room on another node while media still flows on the current one. Its peers then join it there. */
  async #handOver(roomId: string): Promise<void> {
    try {
      const handedOver = await this.#rooms.handOver(roomId);
      if (!handedOver) return;
      const { room, former } = handedOver;
      const peers = [...room.peers.values()];
      room.peers.clear();
      for (const { peerId } of peers) this.#leftBehind.set(peerId, former);
      const { nodeId: node, epoch } = room.owner;
      this.#log.info({ roomId, node, epoch }, 'room handed over');
      this.#events.emit('roomMoving', { roomId, peers });
    } catch (err) {
      this.#log.warn({ err, roomId }, 'room could not be handed over yet');
    }
  }

  /** Removes a peer from the former owner of a room that was handed over. @returns false if the peer has no former owner */
  async #leaveBehind(roomId: string, peerId: string): Promise<boolean> {
    const former = this.#leftBehind.get(peerId);
    if (!former) return false;
    this.#leftBehind.delete(peerId);
    try {
      const link = await this.#nodes.link(former.nodeId);
      await link?.call('leave', { roomId, epoch: former.epoch, peerId });
    } catch (err) {
      // The former owner is about to stop, which removes the peer too.
      this.#log.debug({ err, roomId, peerId }, 'peer could not leave its former node');
    }
    return true;
  }

  #onEvent<Name extends NodeEventName>(name: Name, payload: NodeEvent[Name]): void {
    // Events of routers are for the owner of the room.
    if (name === 'router') return;
    const event = payload as NodeEvent[Exclude<NodeEventName, 'router'>];
    const { roomId } = event;
    const room = this.#rooms.get(roomId);
    if (name === 'peerGone') return void room?.peers.delete((event as NodeEvent['peerGone']).peerId);
    if (name === 'roomClosed') {
      const { epoch } = event as NodeEvent['roomClosed'];
      // The room ended or has another owner. Its peers are asked to join it again there, unless they already have been.
      if (room && room.owner.epoch <= epoch) void this.#move(roomId);
      return;
    }
    if (name === 'roomRestarted') {
      for (const { peerId } of (event as NodeEvent['roomRestarted']).lost) room?.peers.delete(peerId);
    }
    this.#events.emit(name, event);
  }
}

async function unlessGone(run: Promise<unknown>): Promise<void> {
  await run.catch((error: unknown) => {
    if (!(error instanceof ParleyError && error.code === 'NOT_FOUND')) throw error;
  });
}
