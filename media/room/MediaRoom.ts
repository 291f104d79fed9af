import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { ActiveSpeakerForwarder } from './ActiveSpeakerForwarder.ts';
import { Arrivals } from './Arrivals.ts';
import type { RequestOf } from '../operations.ts';
import type { Packager } from '../Packaging.ts';
import type { EmitRoomEvent } from '../roomEvents.ts';
import type {
  JoinedPeer,
  NewEgress,
  NewIngest,
  NewPeer,
  OpenEgress,
  OpenIngest,
  PeerInfo,
  ResumedPeer,
  ReturningPeer,
  roomOperations,
  RoomOperations,
} from '../roomOperations.ts';
import type { Member, NewMember, Publication } from './Member.ts';
import { Publications } from './Publications.ts';
import type { RouterFactory } from './RouterFactory.ts';
import { joinInSteps } from './joinInSteps.ts';
import { LayerDemand } from './LayerDemand.ts';
import {
  egressOf,
  ingestInto,
  producersOf,
  receivingPlainPeer,
  sendingPlainPeer,
  type Received,
} from './plainPeers.ts';
import { Subscriptions } from './Subscriptions.ts';
import { Revisions, superseded } from './Revisions.ts';
import { isCounted, RoomMembers, unlessLeft } from './RoomMembers.ts';
import { RoomRouters } from './RoomRouters.ts';
import { RoomNotifier } from './RoomNotifier.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type { RouterEvent } from '../router/routerOperations.ts';
import { isRated, RoomQuality } from './RoomQuality.ts';
import { RoomSpeakers } from './RoomSpeakers.ts';
import { allForwardedUpTo } from './speakers.ts';

/** How long a peer that was asked to move off a draining node is kept after its participant has joined again as another peer. */
const movingMs = 6_000;

interface MediaRoomDeps {
  factory: RouterFactory;
  packager: () => Packager;
  emit: EmitRoomEvent;
  log: Logger;
}

type Request<Name extends keyof RoomOperations> = RequestOf<typeof roomOperations, Name>;
type Answer<Name extends keyof RoomOperations> = ReturnType<RoomOperations[Name]>;

/**
 * The peers and routers of one room. The room uses one worker while it has capacity, then several, then other nodes. Each publication is
 * offered to the other peers as a paused consumer.
 *
 * Closing: close() closes the routers, and with them every transport, producer and consumer of the room. It emits no events, because the
 * code that closes a room has already informed its members.
 */
export class MediaRoom implements RoomOperations {
  readonly id: string;
  readonly #members = new RoomMembers();
  readonly #revisions = new Revisions();
  readonly #routers: RoomRouters;
  readonly #emit: EmitRoomEvent;
  readonly #packager: () => Packager;
  readonly #notifier: RoomNotifier;
  readonly #subscriptions: Subscriptions;
  readonly #speakers: RoomSpeakers;
  readonly #speakerForwarder: ActiveSpeakerForwarder;
  readonly #demand: LayerDemand;
  readonly #quality: RoomQuality;
  readonly #publications: Publications;
  readonly #arrivals: Arrivals;
  #closed = false;

  static async create(id: string, deps: MediaRoomDeps): Promise<MediaRoom> {
    const room = new MediaRoom(id, deps);
    await room.#routers.openFirst();
    return room;
  }

  private constructor(id: string, { factory, packager, emit, log }: MediaRoomDeps) {
    this.id = id;
    this.#packager = packager;
    this.#emit = emit;
    this.#notifier = new RoomNotifier(id, emit);
    const isUnwanted = ({ producerId }: Publication) => this.#demand.wanted(producerId) === -1;
    this.#quality = new RoomQuality(id, this.#members, isUnwanted);
    this.#arrivals = new Arrivals({
      isUnwanted,
      onArriving: (member) => this.#onArriving(member),
    });
    this.#routers = new RoomRouters(id, factory, {
      onEvent: (router, event) => this.#onRouterEvent(router, event),
      onIdle: (router) => void this.#subscriptions.forgetRouter(router),
      isRelaying: (router) => this.#subscriptions.isRelaying(router),
    });
    this.#subscriptions = new Subscriptions(
      {
        onOffer: (subscription) => this.#notifier.offered(subscription),
        isWanted: (to, publication) => this.#publications.isWanted(to, publication),
        onClosed: (subscription) => this.#notifier.ended(subscription),
        onWatched: (publication, by) => this.#demand.refresh(publication, by),
        isLeaving: (router) => this.#routers.isLeaving(router),
        onReleased: () => this.#routers.closeIdle(),
      },
      log,
    );
    this.#demand = new LayerDemand({
      watching: (publication) => this.#subscriptions.of(publication),
      onDemand: (publication, layer) => this.#notifier.layersWanted(publication, layer),
    });
    this.#speakers = new RoomSpeakers({
      roomId: id,
      members: this.#members.present,
      onSpeakers: (event) => emit('speakers', event),
      onForwarded: () => this.#speakerForwarder.refresh(),
    });
    this.#speakerForwarder = new ActiveSpeakerForwarder({
      members: this.#members,
      subscriptions: this.#subscriptions,
      isForwarded: (publication) => this.#speakers.isForwarded(publication),
      isWanted: (to, publication) => this.#publications.isWanted(to, publication),
      offer: (to, publication) => this.#publications.offer(to, publication),
      onFailed: (err) => log.warn({ err, roomId: id }, 'speaker forwarding could not be updated'),
    });
    this.#publications = new Publications({
      members: this.#members,
      routers: this.#routers,
      subscriptions: this.#subscriptions,
      speakers: this.#speakers,
      speakerForwarder: this.#speakerForwarder,
      demand: this.#demand,
      arrivals: this.#arrivals,
      notifier: this.#notifier,
      log,
    });
  }

  /** The number of participants and of viewers that have media. */
  get size(): { participants: number; viewers: number } {
    return this.#members.size;
  }

  /** The current routers of the room. */
  get routers(): RoomRouter[] {
    return this.#routers.all;
  }

  async join(newPeer: NewPeer): Promise<JoinedPeer> {
    const { member, replaced, others, consumers } = await this.#enter(newPeer);
    const { transports } = member;
    if (!transports) throw new Error('A device has transports.');
    return {
      ...transports,
      replaced: replaced?.info ?? null,
      peers: others.map((other) => other.info),
      consumers: consumers.map(({ publication, consumer }) => offer(publication, consumer)),
    };
  }

  joinConnected(peer: Request<'joinConnected'>): Promise<JoinedPeer> {
    return joinInSteps(this, peer, () => (this.#members.get(peer.peerId).sendsAlways = true));
  }

  async openIngest(ingest: NewIngest): Promise<OpenIngest> {
    const { member, replaced } = await this.#enter(sendingPlainPeer(ingest));
    try {
      for (const producer of producersOf(ingest)) await this.#publications.start(member, producer);
      return ingestInto(member, ingest.tracks, replaced);
    } catch (error) {
      this.#remove(member);
      throw error;
    }
  }

  async openEgress(egress: NewEgress): Promise<OpenEgress> {
    const { member, consumers } = await this.#enter(receivingPlainPeer(egress));
    return egressOf(member, consumers);
  }

  /** Requests a key frame of each video that a peer receives. */
  async requestKeyFrame({ peerId }: Request<'requestKeyFrame'>): Promise<void> {
    const { router, subscriptions } = this.#members.get(peerId);
    const videos = [...subscriptions.values()].filter(({ info }) => info.kind === 'video');
    await Promise.all(videos.map(({ info }) => router.requestKeyFrame({ consumerId: info.id })));
  }

  async #enter(newMember: NewMember): Promise<Entered> {
    const member = await this.#routers.enter(newMember, this.#members.publications.length);
    if (this.#closed) {
      void member.router.removePeer({ key: member.key }).catch(() => undefined);
      throw new ParleyError('NOT_FOUND', 'The room has been closed.');
    }
    if (!this.#revisions.isCurrent(newMember)) {
      this.#remove(member);
      throw superseded();
    }
    this.#revisions.raise(newMember);
    const replaced = this.#replace(member);
    const others = this.#members.partnersOf(member);
    // Add the member before the first await: publications that start from now on are offered to it by produce().
    const already = others.flatMap((other) => [...other.publications.values()]);
    this.#members.add(member);
    if (isCounted(member) && this.#speakers.refresh()) this.#speakerForwarder.refresh();
    // In a larger room, members get quality events only about themselves.
    if (isRated(member) && this.#members.present.size <= allForwardedUpTo)
      for (const change of this.#quality.reportAgain(member)) this.#emit('quality', change);
    const consumers = await this.#publications.receiveAll(member, already);
    return { member, replaced, others, consumers };
  }

  resume({ peerId, identity, tag, revision }: ReturningPeer): Promise<ResumedPeer> {
    const member = this.#members.get(peerId);
    if (member.identity !== identity)
      throw new ParleyError('NOT_FOUND', 'This peer belongs to another participant: join the room again.');
    if (!this.#revisions.isCurrent({ identity, revision })) throw superseded();
    this.#revisions.raise({ identity, revision });
    member.revision = revision ?? member.revision;
    member.tag = { ...member.tag, ...tag };
    // The first report may have been lost between two nodes, which is when WHIP and WHEP sessions resume.
    if (member.isDisconnected) this.#notifier.disconnected(member);
    return Promise.resolve({
      peers: this.#members.partnersOf(member).map((other) => other.info),
      consumers: [...member.subscriptions.values()].map(({ publication, info: consumer }) =>
        offer(publication, consumer),
      ),
      sent: [...member.publications.values()].map(({ producerId, source, isHalted }) => {
        return { source, isHalted, layer: this.#demand.wanted(producerId) };
      }),
    });
  }

  peers(): Promise<PeerInfo[]> {
    return Promise.resolve([...this.#members.present.values()].map((member) => member.info));
  }

  leave({ peerId }: Request<'leave'>): Promise<void> {
    const member = this.#members.find(peerId);
    if (member) this.#remove(member);
    return Promise.resolve();
  }

  removeParticipant({ identity, revision }: Request<'removeParticipant'>): Answer<'removeParticipant'> {
    this.#revisions.raise({ identity, revision });
    const members = this.#members
      .of(identity)
      .filter((member) => revision === undefined || (member.revision ?? 0) < revision);
    this.#remove(...members);
    return Promise.resolve({ peerIds: members.map(({ id }) => id) });
  }

  async produce({ peerId, ...producer }: Request<'produce'>): Answer<'produce'> {
    return this.#publications.start(this.#members.get(peerId), producer);
  }

  closeProducer({ peerId, source, revision }: Request<'closeProducer'>): Promise<void> {
    const member = this.#members.get(peerId);
    member.decide(source, 'closed', revision);
    const allowed = member.publications.get(source)?.revision;
    // The participant was allowed to send it again since.
    const isOutdated = revision !== undefined && allowed !== undefined && allowed > revision;
    if (!isOutdated) this.#publications.close(member, source);
    return Promise.resolve();
  }

  async setPaused({ peerId, source, paused, revision }: Request<'setPaused'>): Promise<boolean> {
    const member = this.#members.get(peerId);
    if (!member.decide(source, paused ? 'paused' : 'flowing', revision))
      return member.publications.has(source);
    return unlessLeft(member, this.#publications.setPaused(member, source, paused));
  }

  async countPackets({ peerId }: Request<'countPackets'>): Answer<'countPackets'> {
    return this.#publications.countPackets(this.#members.get(peerId));
  }

  async connectTransport({ peerId, ...rest }: Request<'connectTransport'>): Promise<void> {
    const member = this.#members.get(peerId);
    const { router, key } = member;
    await unlessLeft(member, router.connectTransport({ key, ...rest }));
  }

  async restartIce({ peerId, transportId }: Request<'restartIce'>): Answer<'restartIce'> {
    const member = this.#members.get(peerId);
    const { router, key } = member;
    const iceParameters = await unlessLeft(member, router.restartIce({ key, transportId }));
    member.isDisconnected = false;
    return iceParameters;
  }

  async resumeConsumers({ peerId, consumerIds }: Request<'resumeConsumers'>): Promise<void> {
    await this.#subscriptions.ready(this.#members.get(peerId), consumerIds);
  }

  async setViews({ peerId, views }: Request<'setViews'>): Promise<void> {
    await this.#subscriptions.setViews(this.#members.get(peerId), views);
  }

  packaged(): Answer<'packaged'> {
    return this.#packager().playlist(this.id);
  }

  async packagedFile({ packageId, name }: Request<'packagedFile'>): Answer<'packagedFile'> {
    return { bytes: await this.#packager().file(this.id, packageId, name) };
  }

  /**
   * Moves the room off a draining node. Its peers there are asked to join again on another node, and stay until they have. Routers that
   * receive media through the draining node get it over another path.
   */
  vacate(nodeId: string): void {
    const moving = this.#routers.vacate(nodeId);
    if (moving.size > 0) this.#subscriptions.renew();
    const members = this.#members.all.filter(({ router, isMoving }) => moving.has(router) && !isMoving);
    if (members.length === 0) return;
    for (const member of members) member.isMoving = true;
    this.#notifier.moving(members);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#speakers.close();
    this.#speakerForwarder.close();
    this.#demand.close();
    this.#arrivals.close();
    this.#routers.close();
    for (const member of this.#members.all) member.hasLeft = true;
    this.#members.clear();
  }

  /** Removes earlier peers of the same identity. A peer that is moving stays for now, because its packets still flow. */
  #replace(member: Member): Member | null {
    const former = this.#members.of(member.identity);
    const isArriving = ({ isMoving, id }: Member) => isMoving && id !== member.id;
    const moving = former.filter(isArriving);
    if (moving.length > 0) setTimeout(() => this.#leaveBehind(moving), movingMs).unref();
    const replaced = former.filter((other) => !isArriving(other));
    this.#remove(...replaced);
    return replaced[0] ?? null;
  }

  /** Removes peers whose participants have joined again as other peers. Nobody asked for that, so it is reported. */
  #leaveBehind(moved: readonly Member[]): void {
    const members = moved.filter(({ hasLeft }) => !hasLeft);
    this.#remove(...members);
    for (const member of members) this.#notifier.gone(member);
  }

  #remove(...members: Member[]): void {
    const leaving = members.filter(({ hasLeft }) => !hasLeft);
    // Remove all of them first, so that none of them gets events about the others.
    for (const member of leaving) {
      member.hasLeft = true;
      this.#members.delete(member);
      this.#subscriptions.leave(member);
      this.#quality.forget(member);
    }
    for (const member of leaving) {
      for (const publication of member.publications.values()) this.#publications.end(publication);
      this.#routers.leave(member);
    }
    if (leaving.some(isCounted) && this.#speakers.refresh()) this.#speakerForwarder.refresh();
  }

  #onRouterEvent(router: RoomRouter, event: RouterEvent): void {
    switch (event.name) {
      case 'volumes':
        return this.#speakers.update(event.volumes);
      case 'scores':
        for (const change of this.#quality.rate(router, event)) this.#emit('quality', change);
        return;
      case 'disconnected': {
        const member = this.#members.withKey(event.key);
        if (!member) return;
        member.isDisconnected = true;
        return this.#notifier.disconnected(member);
      }
      case 'died':
        return void this.#onRouterDied(router);
    }
  }

  #onArriving(member: Member): void {
    this.#notifier.arriving(member);
    const change = this.#quality.changeOf(member);
    if (change) this.#emit('quality', change);
  }

  /** Handles the death of a router's worker or node. Its members are asked to join again; the rest of the room continues. */
  async #onRouterDied(router: RoomRouter): Promise<void> {
    const lost = this.#members.in(router);
    const infos = lost.map(({ info }) => info);
    this.#remove(...lost);
    // Other routers may have received media through the dead router.
    void this.#subscriptions.forgetRouter(router);
    await this.#routers.replace(router);
    const cause = this.#routers.isOnLivingNode(router) ? 'worker' : 'node';
    if (!this.#closed) this.#emit('roomRestarted', { roomId: this.id, lost: infos, cause });
  }
}

interface Entered {
  member: Member;
  replaced: Member | null;
  others: Member[];
  consumers: Received[];
}

const offer = ({ from }: Publication, consumer: Received['consumer']) => ({ from: from.info, consumer });
