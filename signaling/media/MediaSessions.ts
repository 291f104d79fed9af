import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { PeerInfo, ResumedPeer } from '../../media/roomOperations.ts';
import { ignoreGone } from '../../media/cluster/ignoreGone.ts';
import { isUnreachable } from '../../media/router/unreachable.ts';
import { isSuperseded, superseded } from '../../media/room/Revisions.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import { guestMark, type PartyId } from '../../sdk/protocol/party.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import {
  source as sources,
  type JoinedMedia,
  type Scope,
  type Source,
  type WantedMedia,
} from '../../sdk/protocol/media.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { PartyContext, ParleyServer, ParleySocket } from '../socket/RequestContext.ts';
import type { KeyLimit, Limit } from '../../platform/limits/Limits.ts';
import { channels, type Notifier } from '../socket/Notifier.ts';
import { forwardMediaEvents } from './forwardMediaEvents.ts';
import { isOver, type Admission, type MultipartyRules, type MediaScope, type Rights } from './MediaScope.ts';
import { tagOf, toParticipant, toWireConsumer, type Tag } from './peerTag.ts';
import type { QualityLog } from '../quality/QualityLog.ts';
import type { TurnServers } from './TurnServers.ts';

const idPrefixes: Record<Scope, string> = { call: 'call_', conference: 'room_', stream: 'str_' };

const scopes = Object.keys(idPrefixes) as Scope[];

/** The maximum number of rooms whose media a device may be in. If it joins one more, the one joined longest ago is forgotten. */
const maxRoomsPerDevice = 32;

/** The pause before a removal is repeated. It grows with each attempt. */
const [removalMs, maxRemovalMs] = [500, 10_000];

interface MediaSessionsDeps {
  cluster: MediaCluster;
  notifier: Notifier;
  io: ParleyServer;
  turn: TurnServers;
  qualityLog: Pick<QualityLog, 'report' | 'event' | 'left'>;
  /** Limited, because each join creates transports in a worker. */
  joining: Limit;
  /** How often a wallet may start to send a source. */
  sending: Limit;
  /** How often a wallet or guest may report the quality of its media. */
  reporting: KeyLimit;
  log: Logger;
}

interface Room {
  scope: Scope;
  id: string;
}

/** A membership that has ended, and the revision of its end. */
interface Removal {
  identity: string;
  revision: number;
}

/** A membership of a wallet, with its revision after the change that is to be applied to its media. */
interface Membership {
  wallet: PartyId;
  revision: number;
}

/** Connects devices to the media of their rooms. Which device a media peer belongs to is stored with the media, in the tag of the peer. */
export class MediaSessions {
  readonly #deps: MediaSessionsDeps;
  readonly #log: Logger;
  readonly #scopes = new Map<Scope, MediaScope>();
  /** The peer of the latest join of each connection and room, while it is in progress. */
  readonly #latest = new Map<string, string>();
  /** The number of joins so far. */
  #joins = 0;
  #closed = false;

  constructor(deps: MediaSessionsDeps) {
    this.#deps = deps;
    this.#log = deps.log;
    const rulesOf = (roomId: string) => this.#multipartyOf(roomId);
    forwardMediaEvents({ ...deps, rulesOf });
  }

  /** Call when the node stops. */
  close(): void {
    this.#closed = true;
  }

  get rtpCapabilities(): unknown {
    return this.#deps.cluster.rtpCapabilities;
  }

  addScope(name: Scope, scope: MediaScope): void {
    this.#scopes.set(name, scope);
  }

  openRoom(roomId: string): Promise<void> {
    return this.#deps.cluster.openRoom(roomId);
  }

  /** Never throws: the end of a room must be announced even if its media could not be closed. Maintenance closes the media later. */
  async closeRoom(roomId: string): Promise<void> {
    await this.#deps.cluster
      .closeRoom(roomId)
      .catch((err: unknown) => this.#log.error({ err, roomId }, 'media of room not closed'));
    const those = [channels.media(roomId), channels.call(roomId)];
    this.#deps.io.in(those).socketsLeave(those);
  }

  join(
    context: PartyContext,
    socket: ParleySocket,
    { scope, id, rtpCapabilities }: RequestOf<'media.join'>,
  ): Promise<JoinedMedia> {
    return this.#join(context, socket, { room: { scope, id }, rtpCapabilities }, null);
  }

  /**
   * Joins the media of a room that this device has just entered, for the answer to that request. If this fails, the device is in the room
   * without media. It then sends `media.join`, which reports the error.
   * @param media the `media` of the request; without it, nothing is joined
   */
  async joinEntered(
    context: PartyContext,
    socket: ParleySocket,
    { room, media, admission }: { room: Room; media: WantedMedia; admission: Admission },
  ): Promise<{ media?: JoinedMedia }> {
    if (!media) return {};
    try {
      return { media: await this.#join(context, socket, { room, ...media }, admission) };
    } catch (err) {
      this.#log.debug({ err, roomId: room.id, wallet: context.wallet }, 'entered a room without its media');
      return {};
    }
  }

  /** Creates transports in a worker, in place of earlier ones of this participant. @param admitted null if the rules are to be asked */
  async #join(
    context: PartyContext,
    socket: ParleySocket,
    { room, rtpCapabilities }: NonNullable<WantedMedia> & { room: Room },
    admitted: Admission | null,
  ): Promise<JoinedMedia> {
    const { scope, id: roomId } = room;
    const { socketId, wallet: walletAddress } = context;
    const [peerId, key, order] = [newId('par'), joinKey(context, roomId), ++this.#joins];
    this.#latest.set(key, peerId);
    const isLatest = () => this.#latest.get(key) === peerId;
    const join = async ({ identity, revision, role, displayName, participantId, ...limits }: Admission) => {
      // The device has joined again or left in the meantime.
      if (!isLatest()) throw superseded();
      const [id, joinedAt] = [participantId ?? peerId, toIso(new Date())];
      const shown = { id, roomId, walletAddress, ...guestMark(walletAddress), displayName, role };
      const participant = { ...shown, joinedAt, handRaised: false };
      const tag: Tag = {
        socketId,
        scope,
        participant,
        ...(limits.receives === false ? { receives: false } : {}),
      };
      // A call has only two parties, so it needs no active-speaker detection and no distribution across nodes.
      const multiparty = scope !== 'call';
      const peer = { peerId, identity, revision, order, tag, rtpCapabilities, multiparty, ...limits };
      const joined = await this.#deps.cluster.room(roomId).join(peer);
      if (isLatest()) return { participant, joined };
      await this.#deps.cluster.room(roomId).leave({ peerId });
      throw superseded();
    };
    try {
      await this.#deps.joining.consume(context);
      const admission = admitted ?? (await this.#admit(context, room));
      // Joins the channel first, so that the device misses no event.
      await socket.join(channels.media(roomId));
      const { participant, joined } = await this.#enter(context, room, admission, join);
      const { peers, consumers, replaced, ...transports } = joined;
      remember(context, roomId, peerId);
      this.#deps.qualityLog.event(socket, roomId, 'joined');
      this.#dismiss(roomId, replaced, socket.id);
      this.#log.debug({ roomId, peerId, wallet: walletAddress }, 'device joined a room');
      return {
        participant: { ...participant, audio: false, video: false, screen: false },
        peerId,
        participants: peers.map(toParticipant),
        ...transports,
        iceServers: this.#deps.turn.for(relayUser(context), transports.recvTransport.iceCandidates),
        consumers: consumers.map(toWireConsumer),
      };
    } finally {
      if (isLatest()) this.#latest.delete(key);
    }
  }

  /** Moves a participant's device to another connection, after checking the rules again. */
  async resume(
    context: PartyContext,
    socket: ParleySocket,
    { scope, id: roomId, participantId: peerId, sending }: RequestOf<'media.resume'>,
  ): Promise<ResponseOf<'media.resume'>> {
    const { identity, revision } = await this.#admit(context, { scope, id: roomId });
    await socket.join(channels.media(roomId));
    const tag: Partial<Tag> = { socketId: context.socketId, scope };
    const { peers, consumers, sent } = await this.#deps.cluster
      .room(roomId)
      .resume({ peerId, identity, tag, revision });
    remember(context, roomId, peerId);
    this.#deps.qualityLog.event(socket, roomId, 'connection_back');
    if (sending) await this.#sendOnly({ id: roomId, peerId }, sent, sending);
    return {
      participants: peers.map(toParticipant),
      iceServers: this.#deps.turn.for(relayUser(context)),
      consumers: consumers.map(toWireConsumer),
      layers: sent.flatMap(({ source, layer }) => (layer === null ? [] : [{ source, layer }])),
    };
  }

  /** Applies what the device stopped or paused while it was away. A source that it switched on needs a request of its own. */
  async #sendOnly(
    { id, peerId }: { id: string; peerId: string },
    sent: ResumedPeer['sent'],
    sending: NonNullable<RequestOf<'media.resume'>['sending']>,
  ): Promise<void> {
    for (const { source, isHalted } of sent) {
      const wanted = sending.find((one) => one.source === source);
      if (!wanted) await this.#deps.cluster.room(id).closeProducer({ peerId, source });
      else if (wanted.paused && !isHalted)
        await this.#deps.cluster.room(id).setPaused({ peerId, source, paused: true });
    }
  }

  /** Keeps what a device measured. @throws ParleyError NOT_FOUND if the device is not in this room */
  async report(
    context: PartyContext,
    socket: ParleySocket,
    report: RequestOf<'media.report'>,
  ): Promise<void> {
    this.peerOf(context, report.id);
    // It still knows its peer when it was removed, or the room has ended.
    if (!socket.rooms.has(channels.media(report.id))) throw notInside();
    await this.#deps.reporting.consume(context.countedAs ?? '');
    this.#deps.qualityLog.report(socket, report);
  }

  /** Call before a device's connection has left its channels. */
  onDisconnecting(socket: ParleySocket): void {
    for (const roomId of socket.data.peers.keys())
      if (socket.rooms.has(channels.media(roomId)))
        this.#deps.qualityLog.event(socket, roomId, 'connection_lost');
  }

  async leave(context: PartyContext, socket: ParleySocket, roomId: string): Promise<void> {
    const peerId = context.peers.get(roomId);
    if (peerId) this.#deps.qualityLog.left(roomId, context.wallet);
    context.peers.delete(roomId);
    socket.data.scores.delete(roomId);
    this.#latest.delete(joinKey(context, roomId));
    await socket.leave(channels.media(roomId));
    if (peerId) await this.#deps.cluster.room(roomId).leave({ peerId });
  }

  /** This device's peer in the room. @throws ParleyError NOT_FOUND */
  peerOf(context: PartyContext, roomId: string): string {
    const peerId = context.peers.get(roomId);
    if (!peerId) throw notInside();
    return peerId;
  }

  /**
   * No effect if the device does not send this source, unless the source is being published.
   * @param revision the membership's revision that this follows from: it then also applies to a source that is being published
   */
  async setPaused(
    context: PartyContext,
    roomId: string,
    { source, paused, revision }: { source: Source; paused: boolean; revision?: number | undefined },
  ): Promise<void> {
    const peerId = context.peers.get(roomId);
    if (peerId) await this.#deps.cluster.room(roomId).setPaused({ peerId, source, paused, revision });
  }

  /** Publishes a source, if the room's rules allow it. */
  async produce(
    context: PartyContext,
    { scope, id, source, rtpParameters, size, ...payload }: RequestOf<'media.produce'>,
  ): Promise<ResponseOf<'media.produce'>> {
    const peerId = this.peerOf(context, id);
    const rules = this.#rulesOf({ scope, id }).multiparty;
    const { paused, along, revision } =
      (await rules?.mayProduce(context, id, { source, rtpParameters })) ?? {};
    await this.#deps.sending.consume(context);
    return this.#deps.cluster.room(id).produce({
      peerId,
      source,
      rtpParameters,
      paused: payload.paused || (paused ?? false),
      size,
      along,
      revision,
      tellsArrival: rules?.onArriving !== undefined,
    });
  }

  /** No effect if the device does not send this source. */
  async closeProducer(context: PartyContext, roomId: string, source: Source): Promise<void> {
    const peerId = context.peers.get(roomId);
    if (peerId) await this.#deps.cluster.room(roomId).closeProducer({ peerId, source });
  }

  /**
   * Closes the media of one participant, found by identity. Never throws: if the room's node cannot be reached, this is repeated until it
   * can, or until it has been declared dead. Then the room is opened on another node, where only members are admitted.
   * @param removal `revision` is that of the membership that ended it: media that was admitted with a lower one ends, or is refused
   * @param socketId the participant's connection, which leaves the media channel; null if there is none
   */
  async evict(roomId: string, removal: Removal, socketId: string | null): Promise<void> {
    await this.#deps.cluster
      .room(roomId)
      .removeParticipant(removal)
      .catch((err: unknown) => {
        this.#log.warn({ err, roomId }, 'media of former participant not closed yet');
        void this.#removeLater(roomId, removal);
      });
    this.#deps.qualityLog.left(roomId, removal.identity as PartyId);
    if (socketId) this.#deps.io.in(socketId).socketsLeave(channels.media(roomId));
  }

  /** Repeats a removal until it succeeds: a node that cannot be reached for a while may go on forwarding packets. */
  async #removeLater(roomId: string, removal: Removal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await delay(Math.min(removalMs * attempt, maxRemovalMs), undefined, { ref: false });
      if (this.#closed) return;
      try {
        await this.#deps.cluster.room(roomId).removeParticipant(removal);
        return this.#log.info({ roomId }, 'media of former participant closed');
      } catch (err) {
        this.#log.debug({ err, roomId, attempt }, 'media of former participant still not closed');
      }
    }
  }

  /** Pauses sources of a wallet's device. The device may resume them. */
  async muteByHost(
    roomId: string,
    { wallet, revision }: Membership,
    which: readonly Source[],
  ): Promise<void> {
    for (const { peerId } of await this.#peersOf(roomId, wallet)) {
      for (const source of which)
        await this.#deps.cluster.room(roomId).setPaused({ peerId, source, paused: true, revision });
    }
  }

  /** Closes what a wallet's device sends, or these sources of it. It continues to receive. */
  async stopSending(
    roomId: string,
    { wallet, revision }: Membership,
    which: readonly Source[] = sources.options,
  ): Promise<void> {
    for (const { peerId } of await this.#peersOf(roomId, wallet)) {
      for (const source of which)
        await this.#deps.cluster.room(roomId).closeProducer({ peerId, source, revision });
    }
  }

  /** Ends what devices send and may not (any more). Those whose right to receive has changed since they joined, join again. */
  async enforce(roomId: string, all: Rights[]): Promise<void> {
    const peers = await this.#peersIn(roomId);
    const room = this.#deps.cluster.room(roomId);
    for (const rights of all) {
      const { wallet, revision, refused, muted, receives } = rights;
      for (const { peerId, sending, tag } of peers.get(wallet) ?? []) {
        const isSent = (source: Source) => sending.includes(source);
        for (const source of refused.some(isSent) ? refused : [])
          await room.closeProducer({ peerId, source, revision }).catch(ignoreGone);
        for (const source of muted.filter(isSent))
          await room.setPaused({ peerId, source, paused: true, revision }).catch(ignoreGone);
        if (((tag as Tag).receives ?? true) !== receives) await this.restart(roomId, rights);
      }
    }
  }

  /** Closes the media of a wallet's device, which joins it again, as the membership now allows. */
  async restart(
    roomId: string,
    { wallet, revision, socket }: Membership & { socket: string | null },
  ): Promise<void> {
    await this.evict(roomId, { identity: wallet, revision }, null);
    this.#deps.notifier.toSocket(socket, 'media:restarted', { scope: 'conference', id: roomId });
  }

  async #peersOf(roomId: string, wallet: PartyId): Promise<PeerInfo[]> {
    return (await this.#peersIn(roomId)).get(wallet) ?? [];
  }

  /** The devices in the media of a room, by wallet. */
  async #peersIn(roomId: string): Promise<Map<PartyId, PeerInfo[]>> {
    const peers = await this.#deps.cluster.room(roomId).peers({}).catch(ignoreGone);
    const byWallet = new Map<PartyId, PeerInfo[]>();
    for (const peer of peers ?? []) {
      const { walletAddress } = tagOf(peer).participant;
      byWallet.set(walletAddress, [...(byWallet.get(walletAddress) ?? []), peer]);
    }
    return byWallet;
  }

  #rulesOf({ scope, id }: Room): MediaScope {
    const rules = this.#scopes.get(scope);
    // The id's prefix decides the kind of room, so that a client cannot choose other rules.
    if (!rules || !id.startsWith(idPrefixes[scope]))
      throw new ParleyError('NOT_FOUND', `There is no ${scope} with this id: check the id.`);
    return rules;
  }

  #multipartyOf(roomId: string): MultipartyRules | undefined {
    const scope = scopes.find((name) => roomId.startsWith(idPrefixes[name]));
    return scope && this.#scopes.get(scope)?.multiparty;
  }

  async #admit(context: PartyContext, room: Room): Promise<Admission> {
    return this.#rulesOf(room).admit(context, room.id);
  }

  /**
   * Joins with an admission. Admits the device again, and joins once more, if the membership has changed in the meantime, or if the media
   * room is gone because its process has died. In the second case the room is opened again, and closed if the call, conference or stream
   * has ended.
   */
  async #enter<T>(
    context: PartyContext,
    room: Room,
    admission: Admission,
    join: (admission: Admission) => Promise<T>,
  ): Promise<T> {
    try {
      return await join(admission);
    } catch (error) {
      const isGone = (error instanceof ParleyError && error.code === 'NOT_FOUND') || isUnreachable(error);
      if (isGone) await this.#deps.cluster.openRoom(room.id);
      else if (!isSuperseded(error)) throw error;
    }
    const again = await this.#admit(context, room).catch(async (refused: unknown) => {
      if (isOver(refused)) await this.closeRoom(room.id);
      throw refused;
    });
    return join(again);
  }

  #dismiss(roomId: string, replaced: PeerInfo | null, socketId: string): void {
    const tag = replaced && tagOf(replaced);
    if (!tag?.socketId || tag.socketId === socketId) return;
    this.#deps.notifier.toSocket(tag.socketId, 'media:replaced', { scope: tag.scope, id: roomId });
    this.#deps.io.in(tag.socketId).socketsLeave(channels.media(roomId));
  }
}

const notInside = () => new ParleyError('NOT_FOUND', 'This device is not in the room: join it first.');

/** The user of TURN credentials. The guests of two rooms may have the same identity. */
const relayUser = ({ wallet, guest }: PartyContext) => guest?.tokenId ?? wallet;

const joinKey = ({ socketId }: PartyContext, roomId: string) => `${socketId} ${roomId}`;

function remember({ peers }: PartyContext, roomId: string, peerId: string): void {
  peers.delete(roomId);
  peers.set(roomId, peerId);
  const [oldest] = peers.keys();
  if (peers.size > maxRoomsPerDevice && oldest !== undefined) peers.delete(oldest);
}
