import type { z } from 'zod';
import type { Executor } from '../../../platform/database/Executor.ts';
import { safeParse, walletAddress } from '../../../sdk/protocol/common.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { createdToken, newRoomToken, participantToken } from '../../../sdk/protocol/guests.ts';
import { toGuestId, type PartyId } from '../../../sdk/protocol/party.ts';
import type { qualityQuery, WireQuality } from '../../../sdk/protocol/quality.ts';
import type * as schemas from '../../../sdk/protocol/rooms.ts';
import type { WireBackendParticipant } from '../../../sdk/protocol/webhookData.ts';
import { toBackendParticipant } from '../../../signaling/conference/accountEvents.ts';
import { rootOf } from '../../../signaling/conference/FamilyStore.ts';
import { noSuchParticipant, over } from '../../../signaling/conference/refusals.ts';
import type { MemberRow, RoomRow } from '../../../signaling/conference/tables.ts';
import { toToken } from '../../../signaling/guests/ParticipantTokens.ts';
import { backendContext, type BackendContext } from '../../../signaling/socket/RequestContext.ts';
import { placedPage, toPlacedPage } from '../../http/paging.ts';
import type { AccountPrincipal } from '../../http/Principal.ts';
import { noSuch } from '../../http/refusals.ts';
import type { UnitOfWork } from '../../http/Route.ts';
import { keepHost } from '../accountHost.ts';
import { hostOf, type RealtimeRules } from '../RealtimeRules.ts';
import { toBackendRoom, toMessage, toRecordingState, type WireBackendRoom } from './toWire.ts';

type Query<Name extends 'roomsQuery' | 'participantsQuery' | 'messagesQuery' | 'tokensQuery'> = z.output<
  (typeof schemas)[Name]
>;

/** A room and one of its participants. */
interface Which {
  id: string;
  participantId: string;
}

/**
 * The rooms of an account for its backend, which acts as their host. All methods with the id of a room throw ParleyError NOT_FOUND for a
 * room of another account.
 */
export class RoomService {
  readonly #rules: RealtimeRules;
  readonly #publicUrl: string;

  constructor({ rules, publicUrl }: { rules: RealtimeRules; publicUrl: string }) {
    this.#rules = rules;
    this.#publicUrl = publicUrl;
  }

  /** Checks a new room. @returns a function that stores it */
  async create(
    principal: AccountPrincipal,
    { gate, network, ...request }: z.output<typeof schemas.createRoom>,
  ): Promise<(tx: Executor) => Promise<WireBackendRoom>> {
    const { rooms } = this.#conferences;
    const context = backendContext(hostOf(principal), network ?? networkOf(principal));
    const row = await rooms.prepare(context, request, gate);
    return async (tx) => {
      await keepHost(tx, principal);
      await rooms.insert(tx, context, row);
      return toBackendRoom(row, 0, this.#publicUrl);
    };
  }

  async list(principal: AccountPrincipal, query: Query<'roomsQuery'>): Promise<Page<WireBackendRoom>> {
    const { store } = this.#conferences;
    const { limit, before } = placedPage(query);
    const rows = await store.roomsOfHost(hostOf(principal), query.status, { limit: limit + 1, before });
    const counts = await store.countPresentIn(rows.map(({ id }) => id));
    return toPlacedPage(
      rows,
      limit,
      ({ createdAt: at, id }) => ({ at, id }),
      (row) => toBackendRoom(row, counts.get(row.id) ?? 0, this.#publicUrl),
    );
  }

  async get(
    principal: AccountPrincipal,
    roomId: string,
  ): Promise<z.input<typeof schemas.roomWithParticipants>> {
    const row = await this.#own(principal, roomId);
    const present = await this.#conferences.store.presentIn([roomId]);
    const participants = present.map((member) => {
      const { id, identity, isGuest, displayName, role } = toBackendParticipant(member);
      return { id, identity, isGuest, displayName, role };
    });
    return { ...toBackendRoom(row, present.length, this.#publicUrl), participants };
  }

  async change(
    principal: AccountPrincipal,
    roomId: string,
    changes: z.output<typeof schemas.changeRoom>,
  ): Promise<WireBackendRoom> {
    const { rooms } = this.#conferences;
    return this.#shown(await rooms.change(await this.#enter(principal, roomId), roomId, changes));
  }

  async end(principal: AccountPrincipal, roomId: string): Promise<WireBackendRoom> {
    const { breakouts, store } = this.#conferences;
    await breakouts.endRoom(await this.#enter(principal, roomId), roomId);
    return this.#shown(await store.room(roomId));
  }

  async participants(
    principal: AccountPrincipal,
    roomId: string,
    { identity, ...query }: Query<'participantsQuery'>,
  ): Promise<Page<WireBackendParticipant>> {
    await this.#own(principal, roomId);
    const { limit, before } = placedPage(query);
    const wallets = identity === undefined ? null : [toGuestId(identity), partyOf(identity)];
    const rows = await this.#conferences.store.presentOn(roomId, wallets, { limit: limit + 1, before });
    return toPlacedPage(rows, limit, placeOfMember, toBackendParticipant);
  }

  async participant(
    principal: AccountPrincipal,
    { id: roomId, participantId }: Which,
  ): Promise<WireBackendParticipant> {
    await this.#own(principal, roomId);
    const { store } = this.#conferences;
    return toBackendParticipant(await store.participant(store.executor, roomId, participantId));
  }

  async changeParticipant(
    principal: AccountPrincipal,
    { id: roomId, participantId }: Which,
    changes: z.output<typeof schemas.changeParticipant>,
  ): Promise<WireBackendParticipant> {
    const context = await this.#enter(principal, roomId);
    const which = { roomId, participantId };
    return toBackendParticipant(await this.#conferences.media.change(context, which, changes));
  }

  /** @returns the participant as it was in the room */
  async remove(principal: AccountPrincipal, which: Which): Promise<WireBackendParticipant> {
    const { id: roomId, participantId } = which;
    const before = await this.participant(principal, which);
    const context = await this.#enter(principal, roomId);
    await this.#conferences.memberships.kick(context, { roomId, participantId });
    return before;
  }

  async mute(principal: AccountPrincipal, which: Which): Promise<WireBackendParticipant> {
    const { id: roomId, participantId } = which;
    const context = await this.#enter(principal, roomId);
    await this.#conferences.media.muteParticipant(context, { roomId, participantId });
    return this.participant(principal, which);
  }

  /** @returns the participant as it was in the room that it is moved from */
  async move(
    principal: AccountPrincipal,
    which: Which,
    { to }: z.output<typeof schemas.moveParticipant>,
  ): Promise<WireBackendParticipant> {
    const { id: roomId, participantId } = which;
    const before = await this.participant(principal, which);
    if (to === roomId) throw sameRoom();
    const context = await this.#enter(principal, roomId);
    await this.#conferences.breakouts.move(context, { roomId, participantIds: [participantId], to });
    return before;
  }

  async createBreakouts(
    principal: AccountPrincipal,
    roomId: string,
    request: z.output<typeof schemas.createBreakouts>,
    { tx, afterCommit }: UnitOfWork,
  ): Promise<z.input<typeof schemas.breakouts>> {
    const { breakouts } = this.#conferences;
    const context = await this.#enter(principal, roomId, tx);
    const made = await breakouts.write(context, { roomId, ...request }, tx);
    afterCommit(() => void breakouts.announce(context, made));
    // Those who are moved have not arrived yet.
    const data = made.created.map(({ row }) => toBackendRoom(row, 0, this.#publicUrl));
    return { data, hasMore: false, nextCursor: null };
  }

  async breakouts(principal: AccountPrincipal, roomId: string): Promise<z.input<typeof schemas.breakouts>> {
    const { store } = this.#conferences;
    const room = await this.#own(principal, roomId);
    const rows = await store.breakoutsOf(rootOf(room));
    const counts = await store.countPresentIn(rows.map(({ id }) => id));
    const data = rows.map((row) => toBackendRoom(row, counts.get(row.id) ?? 0, this.#publicUrl));
    return { data, hasMore: false, nextCursor: null };
  }

  /** @returns the room */
  async endBreakouts(principal: AccountPrincipal, roomId: string): Promise<WireBackendRoom> {
    const { breakouts, store } = this.#conferences;
    await breakouts.end(await this.#enter(principal, roomId), roomId);
    return this.#shown(await store.room(roomId));
  }

  async messages(
    principal: AccountPrincipal,
    roomId: string,
    query: Query<'messagesQuery'>,
  ): Promise<z.input<typeof schemas.roomMessages>> {
    await this.#own(principal, roomId);
    const { limit, before } = placedPage(query);
    const oldestFirst = await this.#conferences.store.chat.read(roomId, limit + 1, before?.id);
    const placeOf = ({ sentAt: at, id }: (typeof oldestFirst)[number]) => ({ at, id });
    return toPlacedPage(oldestFirst.reverse(), limit, placeOf, toMessage);
  }

  async send(
    principal: AccountPrincipal,
    roomId: string,
    message: z.output<typeof schemas.newRoomMessage>,
    { tx, afterCommit }: UnitOfWork,
  ): Promise<z.input<typeof schemas.roomMessage>> {
    const { chat } = this.#conferences;
    const context = await this.#enter(principal, roomId, tx);
    const row = await chat.write(tx, context, roomId, message);
    afterCommit(() => chat.announce(context, row));
    return toMessage(row);
  }

  async sendData(
    principal: AccountPrincipal,
    roomId: string,
    message: z.output<typeof schemas.roomData>,
  ): Promise<void> {
    await this.#conferences.data.send(await this.#enter(principal, roomId), { roomId, ...message });
  }

  async recording(
    principal: AccountPrincipal,
    roomId: string,
  ): Promise<z.input<typeof schemas.roomRecording>> {
    const row = await this.#own(principal, roomId);
    const context = contextOf(principal, row);
    const [latest] = await this.#rules.current.recordings.list(context, { roomId, limit: 1, offset: 0 });
    return toRecordingState(row, latest ?? null);
  }

  async startRecording(
    principal: AccountPrincipal,
    roomId: string,
  ): Promise<z.input<typeof schemas.roomRecording>> {
    await this.#conferences.recording.start(await this.#enter(principal, roomId), roomId);
    return this.recording(principal, roomId);
  }

  async stopRecording(
    principal: AccountPrincipal,
    roomId: string,
  ): Promise<z.input<typeof schemas.roomRecording>> {
    await this.#conferences.recording.stop(await this.#enter(principal, roomId), roomId);
    return this.recording(principal, roomId);
  }

  async createToken(
    principal: AccountPrincipal,
    roomId: string,
    token: z.output<typeof newRoomToken>,
    { tx }: Pick<UnitOfWork, 'tx'>,
  ): Promise<z.input<typeof createdToken>> {
    await this.#own(principal, roomId, tx);
    const room = await this.#conferences.store.lockRoom(tx, roomId);
    if (room.status === 'ended') throw over();
    return this.#rules.current.participantTokens.create(tx, roomId, token);
  }

  async tokens(
    principal: AccountPrincipal,
    roomId: string,
    query: Query<'tokensQuery'>,
  ): Promise<z.input<typeof schemas.tokens>> {
    await this.#own(principal, roomId);
    const { limit, before } = placedPage(query);
    const rows = await this.#rules.current.participantTokens.list(roomId, { limit: limit + 1, before });
    return toPlacedPage(rows, limit, ({ createdAt: at, id }) => ({ at, id }), toToken);
  }

  async quality(
    principal: AccountPrincipal,
    roomId: string,
    { from }: z.output<typeof qualityQuery>,
  ): Promise<WireQuality> {
    await this.#own(principal, roomId);
    return this.#rules.current.quality.read(roomId, from === undefined ? null : new Date(from));
  }

  async revokeToken(
    principal: AccountPrincipal,
    { id: roomId, tokenId }: { id: string; tokenId: string },
  ): Promise<z.input<typeof participantToken>> {
    await this.#own(principal, roomId);
    return this.#conferences.memberships.revoke(roomId, tokenId);
  }

  get #conferences() {
    return this.#rules.current.conferences;
  }

  /** @throws ParleyError NOT_FOUND if there is no such room, or if it belongs to another account */
  async #own(principal: AccountPrincipal, roomId: string, executor?: Executor): Promise<RoomRow> {
    const row = (await this.#conferences.store.roomsById([roomId], executor)).get(roomId);
    if (row?.host !== hostOf(principal))
      throw noSuch('room', 'The account has no such room. List its rooms with GET /rooms.');
    return row;
  }

  async #enter(principal: AccountPrincipal, roomId: string, executor?: Executor): Promise<BackendContext> {
    return contextOf(principal, await this.#own(principal, roomId, executor));
  }

  async #shown(row: RoomRow): Promise<WireBackendRoom> {
    const counts = await this.#conferences.store.countPresentIn([row.id]);
    return toBackendRoom(row, counts.get(row.id) ?? 0, this.#publicUrl);
  }
}

const contextOf = (principal: AccountPrincipal, { network }: RoomRow) =>
  backendContext(hostOf(principal), network);

/** The network on which a new room checks its gate. */
const networkOf = (principal: AccountPrincipal) =>
  (principal.kind === 'session' ? principal.session.network : null) ?? 'mainnet';

/** A wallet, whose address may be written in any case. What looks like one may be the identity of a guest as well. */
function partyOf(identity: string): PartyId {
  const wallet = safeParse(walletAddress, identity);
  return wallet.success ? wallet.data : (identity as PartyId);
}

const sameRoom = () => {
  const message = 'must be another room';
  const details = [{ path: 'to', code: 'custom', message }];
  return new ParleyError('VALIDATION_ERROR', `to: ${message}`, { details });
};

function placeOfMember({ joinedAt, participantId }: MemberRow) {
  if (!joinedAt || !participantId) throw noSuchParticipant();
  return { at: joinedAt, id: participantId };
}
