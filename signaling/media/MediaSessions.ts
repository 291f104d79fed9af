import type { Logger } from 'pino';
import type { MediaCluster } from '../../media/MediaCluster.ts';
import type { JoinedPeer, NewPeer, PeerInfo, ResumedPeer } from '../../media/roomOperations.ts';
import { isUnreachable } from '../../media/router/unreachable.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import { source as sources, type Scope, type Source } from '../../sdk/protocol/media.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { RequestContext, ParleyServer, ParleySocket } from '../socket/RequestContext.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import { channels, type Notifier } from '../socket/Notifier.ts';
import { forwardMediaEvents } from './forwardMediaEvents.ts';
import { isOver, type Admission, type MultipartyRules, type MediaScope } from './MediaScope.ts';
import { tagOf, toParticipant, toWireConsumer, type Tag } from './peerTag.ts';
import type { TurnServers } from './TurnServers.ts';

const idPrefixes: Record<Scope, string> = { call: 'call_', conference: 'room_', stream: 'str_' };

const scopes = Object.keys(idPrefixes) as Scope[];

/** The maximum number of rooms whose media a device may be in. If it joins one more, the one joined longest ago is forgotten. */
const maxRoomsPerDevice = 32;

interface MediaSessionsDeps {
  cluster: MediaCluster;
  notifier: Notifier;
  io: ParleyServer;
  turn: TurnServers;
  joining: Limit;
  log: Logger;
}

/** Connects devices to the media of their rooms. Which device a media peer belongs to is stored with the media, in the tag of the peer. */
export class MediaSessions {
  readonly #cluster: MediaCluster;
  readonly #notifier: Notifier;
  readonly #io: ParleyServer;
  readonly #log: Logger;
  readonly #turn: TurnServers;
  readonly #joining: Limit;
  readonly #scopes = new Map<Scope, MediaScope>();

  constructor(deps: MediaSessionsDeps) {
    this.#turn = deps.turn;
    this.#joining = deps.joining;
    this.#cluster = deps.cluster;
    this.#notifier = deps.notifier;
    this.#io = deps.io;
    this.#log = deps.log;
    const rulesOf = (roomId: string) => this.#multipartyOf(roomId);
    forwardMediaEvents({ cluster: deps.cluster, notifier: deps.notifier, io: deps.io, rulesOf });
  }

  get rtpCapabilities(): unknown {
    return this.#cluster.rtpCapabilities;
  }

  addScope(name: Scope, scope: MediaScope): void {
    this.#scopes.set(name, scope);
  }

  openRoom(roomId: string): Promise<void> {
    return this.#cluster.openRoom(roomId);
  }

  async closeRoom(roomId: string): Promise<void> {
    await this.#cluster.closeRoom(roomId);
    const those = [channels.media(roomId), channels.call(roomId)];
    this.#io.in(those).socketsLeave(those);
  }

  async join(
    context: RequestContext,
    socket: ParleySocket,
    payload: RequestOf<'media.join'>,
  ): Promise<ResponseOf<'media.join'>> {
    const { scope, id: roomId, rtpCapabilities } = payload;
    // Limited, because each join creates transports in a worker and replaces the previous ones.
    await this.#joining.consume(context);
    const { identity, role, displayName, participantId, ...admission } = await this.#admit(
      context,
      scope,
      roomId,
    );
    const { isViewer, maxIncomingBitrate } = admission;
    const peerId = newId('par');
    const { socketId, wallet: walletAddress } = context;
    const joinedAt = toIso(new Date());
    const tag: Tag = {
      socketId,
      scope,
      participant: {
        id: participantId ?? peerId,
        roomId,
        walletAddress,
        displayName,
        role,
        joinedAt,
        handRaised: false,
      },
    };
    // Joins the channel first, so that the device misses no event.
    await socket.join(channels.media(roomId));
    // A call has only two parties, so it needs no active-speaker detection, no quality events and no distribution across nodes.
    const multiparty = scope !== 'call';
    const newPeer: NewPeer = {
      peerId,
      identity,
      tag,
      rtpCapabilities,
      multiparty,
      isViewer,
      maxIncomingBitrate,
    };
    const joined = await this.#cluster
      .room(roomId)
      .join(newPeer)
      .catch((error: unknown) => this.#reopenFor(context, scope, roomId, newPeer, error));
    await this.#confirm(context, scope, roomId, peerId);
    const { peers, consumers, replaced, ...transports } = joined;
    remember(context, roomId, peerId);
    this.#dismiss(roomId, replaced, socket.id);
    this.#log.debug({ roomId, peerId, wallet: context.wallet }, 'device joined a room');
    return {
      participant: { ...tag.participant, audio: false, video: false, screen: false },
      peerId,
      participants: peers.map(toParticipant),
      ...transports,
      iceServers: this.#turn.for(context.wallet),
      consumers: consumers.map(toWireConsumer),
    };
  }

  /** Moves a participant's device to another connection, after checking the rules again. */
  async resume(
    context: RequestContext,
    socket: ParleySocket,
    { scope, id: roomId, participantId: peerId, sending }: RequestOf<'media.resume'>,
  ): Promise<ResponseOf<'media.resume'>> {
    const { identity } = await this.#admit(context, scope, roomId);
    await socket.join(channels.media(roomId));
    const tag: Partial<Tag> = { socketId: context.socketId, scope };
    const { peers, consumers, sent } = await this.#cluster.room(roomId).resume({ peerId, identity, tag });
    remember(context, roomId, peerId);
    if (sending) await this.#sendOnly({ id: roomId, peerId }, sent, sending);
    return {
      participants: peers.map(toParticipant),
      iceServers: this.#turn.for(context.wallet),
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
      if (!wanted) await this.#cluster.room(id).closeProducer({ peerId, source });
      else if (wanted.paused && !isHalted)
        await this.#cluster.room(id).setPaused({ peerId, source, paused: true });
    }
  }

  async leave(context: RequestContext, socket: ParleySocket, roomId: string): Promise<void> {
    const peerId = context.peers.get(roomId);
    context.peers.delete(roomId);
    await socket.leave(channels.media(roomId));
    if (peerId) await this.#cluster.room(roomId).leave({ peerId });
  }

  /** This device's peer in the room. @throws ParleyError NOT_FOUND */
  peerOf(context: RequestContext, roomId: string): string {
    const peerId = context.peers.get(roomId);
    if (!peerId) throw new ParleyError('NOT_FOUND', 'This device is not in the room: join it first.');
    return peerId;
  }

  /** No effect if the device does not send this source. */
  async setPaused(context: RequestContext, roomId: string, source: Source, paused: boolean): Promise<void> {
    const peerId = context.peers.get(roomId);
    if (peerId) await this.#cluster.room(roomId).setPaused({ peerId, source, paused });
  }

  /**
   * Publishes a source, if the room's rules allow it. The rules are checked again afterwards: in the meantime the participant may have
   * become a viewer, who must not send, or may have been muted or unmuted.
   */
  async produce(
    context: RequestContext,
    payload: RequestOf<'media.produce'>,
  ): Promise<ResponseOf<'media.produce'>> {
    const { scope, id, source, rtpParameters, size } = payload;
    const peerId = this.peerOf(context, id);
    const rules = this.#rulesOf(scope, id).multiparty;
    const allowed = await rules?.mayProduce(context, id, payload);
    const isPaused = (rule: typeof allowed) => payload.paused || (rule?.paused ?? false);
    const [paused, along] = [isPaused(allowed), allowed?.along];
    const produced = await this.#cluster
      .room(id)
      .produce({ peerId, source, rtpParameters, paused, size, along });
    try {
      const now = await rules?.mayProduce(context, id, payload);
      if (isPaused(now) !== paused)
        await this.#cluster.room(id).setPaused({ peerId, source, paused: !paused });
    } catch (refused) {
      await this.#cluster
        .room(id)
        .closeProducer({ peerId, source })
        .catch(() => undefined);
      throw refused;
    }
    return produced;
  }

  /** No effect if the device does not send this source. */
  async closeProducer(context: RequestContext, roomId: string, source: Source): Promise<void> {
    const peerId = context.peers.get(roomId);
    if (peerId) await this.#cluster.room(roomId).closeProducer({ peerId, source });
  }

  /** Closes the media of a wallet's device in a room. No effect if it has none there. */
  async evict(roomId: string, wallet: Address): Promise<void> {
    for (const { peerId, tag } of await this.#peersOf(roomId, wallet)) {
      await this.#cluster.room(roomId).leave({ peerId });
      const { socketId } = tag as Tag;
      if (socketId) this.#io.in(socketId).socketsLeave(channels.media(roomId));
    }
  }

  /**
   * Closes the media of one participant, found by identity.
   * @param socketId the participant's connection, which leaves the media channel; null if there is none
   */
  async evictParticipant(roomId: string, identity: string, socketId: string | null): Promise<void> {
    await this.#cluster.room(roomId).removeParticipant({ identity });
    if (socketId) this.#io.in(socketId).socketsLeave(channels.media(roomId));
  }

  /** Pauses a source of a wallet's device. The device may resume it. */
  async muteByHost(roomId: string, wallet: Address, source: Source): Promise<void> {
    for (const { peerId } of await this.#peersOf(roomId, wallet))
      await this.#cluster.room(roomId).setPaused({ peerId, source, paused: true });
  }

  /** Closes everything a wallet's device sends. It continues to receive. */
  async stopSending(roomId: string, wallet: Address): Promise<void> {
    for (const { peerId } of await this.#peersOf(roomId, wallet)) {
      for (const source of sources.options)
        await this.#cluster.room(roomId).closeProducer({ peerId, source });
    }
  }

  async #peersOf(roomId: string, wallet: Address): Promise<PeerInfo[]> {
    const peers = await this.#cluster
      .room(roomId)
      .peers({})
      .catch((error: unknown) => {
        if (error instanceof ParleyError && error.code === 'NOT_FOUND') return [];
        throw error;
      });
    return peers.filter((peer) => tagOf(peer).participant.walletAddress === wallet);
  }

  #rulesOf(scope: Scope, roomId: string): MediaScope {
    const rules = this.#scopes.get(scope);
    // The id's prefix decides the kind of room, so that a client cannot choose other rules.
    if (!rules || !roomId.startsWith(idPrefixes[scope]))
      throw new ParleyError('NOT_FOUND', `There is no ${scope} with this id: check the id.`);
    return rules;
  }

  #multipartyOf(roomId: string): MultipartyRules | undefined {
    const scope = scopes.find((name) => roomId.startsWith(idPrefixes[name]));
    return scope && this.#scopes.get(scope)?.multiparty;
  }

  async #admit(context: RequestContext, scope: Scope, roomId: string): Promise<Admission> {
    return this.#rulesOf(scope, roomId).admit(context, roomId);
  }

  /** Checks the rules again after a join. Removes the media of a participant who was removed while joining. */
  async #confirm(context: RequestContext, scope: Scope, roomId: string, peerId: string): Promise<void> {
    const rules = this.#rulesOf(scope, roomId);
    if (!rules.multiparty) return;
    try {
      await rules.admit(context, roomId);
    } catch (refused) {
      await this.#cluster.room(roomId).leave({ peerId });
      throw refused;
    }
  }

  /**
   * Called when the media room is gone because its process has died. Reopens it and joins again, then checks that the call, conference or
   * stream has not ended.
   */
  async #reopenFor(
    context: RequestContext,
    scope: Scope,
    roomId: string,
    peer: NewPeer,
    error: unknown,
  ): Promise<JoinedPeer> {
    const isGone = error instanceof ParleyError && error.code === 'NOT_FOUND';
    if (!isGone && !isUnreachable(error)) throw error;
    await this.#cluster.openRoom(roomId);
    const joined = await this.#cluster.room(roomId).join(peer);
    try {
      await this.#admit(context, scope, roomId);
    } catch (refused) {
      if (isOver(refused)) await this.closeRoom(roomId);
      throw refused;
    }
    return joined;
  }

  #dismiss(roomId: string, replaced: PeerInfo | null, socketId: string): void {
    const tag = replaced && tagOf(replaced);
    if (!tag?.socketId || tag.socketId === socketId) return;
    this.#notifier.toSocket(tag.socketId, 'media:replaced', { scope: tag.scope, id: roomId });
    this.#io.in(tag.socketId).socketsLeave(channels.media(roomId));
  }
}

function remember({ peers }: RequestContext, roomId: string, peerId: string): void {
  peers.delete(roomId);
  peers.set(roomId, peerId);
  const [oldest] = peers.keys();
  if (peers.size > maxRoomsPerDevice && oldest !== undefined) peers.delete(oldest);
}
