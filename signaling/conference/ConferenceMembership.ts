import { isDeepStrictEqual } from 'node:util';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { MoveReason } from '../../sdk/protocol/breakouts.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type {
  RemovalReason,
  WireConferenceRoom,
  WireRoomChat,
  WireWaiter,
} from '../../sdk/protocol/conference.ts';
import type { WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { silentUntil, type Expected } from '../socket/expected.ts';
import type { PartyContext, ParleySocket } from '../socket/RequestContext.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';
import { accessDenied } from '../gates/Gates.ts';
import { toToken, type WireToken } from '../guests/ParticipantTokens.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ParticipantTokenRow } from '../guests/tables.ts';
import { KeyedGroupCommit } from '../../platform/database/GroupCommit.ts';
import { channels } from '../socket/Notifier.ts';
import { jobKinds, memberSubject, type ConferenceDeps } from './ConferenceDeps.ts';
import { rootOf } from './FamilyStore.ts';
import { mustHost } from './permissions.ts';
import { full, notInside } from './refusals.ts';
import { admissionOf } from './ConferenceMedia.ts';
import { roomAccess } from './roomAccess.ts';
import { looksDifferent, RoomEntries, type Entry } from './RoomEntries.ts';
import { RoomExits } from './RoomExits.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toChat, toParticipant, toRoom, toWaiter } from './toWire.ts';

/** The number of chat messages in the answer to a join. */
const chatAtJoin = 50;

type JoinRequest = RequestOf<'conference.join'>;
type Joined = Extract<ResponseOf<'conference.join'>, { state: 'joined' }>;

/** The part of the answer to a join that is the same for all who join at the same time. */
interface RoomSnapshot {
  present: MemberRow[];
  wire: WireConferenceRoom;
  chat: WireRoomChat[];
}

/** Memberships of rooms: joining, waiting, leaving, being away, being removed. A wallet has one membership per room. */
export class ConferenceMembership {
  readonly #deps: ConferenceDeps;
  readonly #entries: RoomEntries;
  readonly #exits: RoomExits;
  /**
   * Lets simultaneous joins share one snapshot. Otherwise, if five hundred wallets joined at once, each join would read five hundred
   * members.
   */
  readonly #snapshots = new KeyedGroupCommit<null, RoomSnapshot>({
    size: Infinity,
    write: async (roomId, all) => {
      const snapshot = await this.#readRoom(roomId);
      return all.map(() => snapshot);
    },
  });

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    this.#entries = new RoomEntries(deps);
    this.#exits = new RoomExits(deps);
    deps.jobs.on(jobKinds.gone, (row) => this.#onGone(row));
  }

  /**
   * Makes this device the wallet's device in the room, or puts the wallet into the waiting room. A device that was away returns in the same
   * way.
   */
  async join(
    context: PartyContext,
    socket: ParleySocket,
    request: JoinRequest,
  ): Promise<ResponseOf<'conference.join'>> {
    const { store, limits, notifier, media } = this.#deps;
    const { roomId } = request;
    await limits.joining.consume(context);
    const unreadable = await this.#checkGate(await store.room(roomId), context);
    const entry = await this.#entries.enter(context, request, unreadable);
    if (entry.recording) await this.#deps.recordings.go(entry.recording);
    await this.#announceEntry(entry, socket, request.held ?? []);
    if (entry.wasAway && entry.after.standing === 'present') notifier.away(entry.after, false);
    if (entry.verdict === 'full') throw full();
    if (entry.verdict === 'wait') return { state: 'waiting' };
    const own = await this.#subscribe(entry, socket);
    const joined = { room: { scope: 'conference', id: roomId }, media: request.media } as const;
    const admission = admissionOf(own.member);
    return { ...own.answer, ...(await media.joinEntered(context, socket, { ...joined, admission })) };
  }

  /**
   * Subscribes the device to the room's events. This happens after admission, since a refused device must get no events, and before the
   * members are read, so that the device misses no event.
   */
  async #subscribe(
    { room: { id }, after }: Entry,
    socket: ParleySocket,
  ): Promise<{ member: MemberRow; answer: Joined }> {
    const channel = channels.conference(id);
    await socket.join(channel);
    // Read only after joining the channel, so that a participant who joins just as a recording begins learns of the recording.
    const { present, wire, chat } = await this.#snapshots.run(id, null);
    const own = present.find(({ wallet }) => wallet === after.wallet);
    if (own?.socket !== socket.id) {
      // The participant was removed, or moved to another device, before this connection had joined the channel.
      await socket.leave(channel);
      throw notInside();
    }
    const { muted } = own;
    return {
      member: own,
      answer: { state: 'joined', room: wire, participant: toParticipant(own), muted, chat },
    };
  }

  async #readRoom(roomId: string): Promise<RoomSnapshot> {
    const { store, jobs, publicUrl } = this.#deps;
    const room = await store.room(roomId);
    const present = await store.presentIn([roomId]);
    const subjects = present.map(({ wallet }) => memberSubject(roomId, wallet));
    const expected = await jobs.findAll(jobKinds.gone, subjects);
    const isAway = ({ wallet, socket }: MemberRow) =>
      (expected.get(memberSubject(roomId, wallet)) as Expected | undefined)?.socket === socket;
    const chat = (await store.chat.read(roomId, chatAtJoin)).map(toChat);
    return { present, wire: toRoom(room, present, publicUrl, isAway), chat };
  }

  /** Only the device that holds the membership can leave. From another device, the request does not change the membership. */
  async leave(context: PartyContext, { roomId, held = [] }: RequestOf<'conference.leave'>): Promise<void> {
    const before = await this.#exits.leave(roomId, context.wallet, [context.socketId, ...held], 'left');
    if (before) await this.#announceExit(before, context.socketId);
    this.#deps.notifier.unsubscribe(context.socketId, roomId);
  }

  /** Removes a participant, who cannot return without a new invitation, also not to the parent or a breakout of the room. */
  async kick(context: PartyContext, { roomId, participantId }: RequestOf<'conference.kick'>): Promise<void> {
    const { store, log } = this.#deps;
    const removed = await store.inFamilies([roomId], async (executor, family) => {
      const room = family.get(roomId) as RoomRow;
      await mustHost(store, executor, room, context);
      const member = await store.participant(executor, roomId, participantId);
      if (member.wallet === room.host)
        throw new ParleyError(
          'CONFLICT',
          'The creator of the room cannot be removed from it: end the room instead.',
        );
      const isOut = { standing: 'removed', isInvited: false, role: 'participant', movedTo: null } as const;
      await store.changeInFamily(executor, room, member.wallet, { ...isOut, changedAt: new Date() });
      // Who was invited to a breakout, or moved there from another room, may never have been in its parent.
      const root = rootOf(room);
      if (!(await store.member(root, member.wallet, executor)))
        await store.putMembers(executor, root, new Map([[member.wallet, isOut]]));
      const left: MemberRow[] = [];
      // A wallet may be in several rooms of a family, with a device in each.
      for (const one of await store.presentAs(executor, member.wallet, [...family.keys()])) {
        const exit = { standing: 'removed', reason: 'kicked' } as const;
        left.push(await this.#exits.vacate(executor, family.get(one.roomId) as RoomRow, one, exit));
      }
      return left;
    });
    for (const before of removed) {
      log.info({ roomId: before.roomId, wallet: before.wallet, by: context.wallet }, 'participant removed');
      await this.#remove(before, 'kicked');
    }
  }

  /**
   * Removes a participant who no longer passes the gate, or for whom the gate has been unreadable for too long. Also removes a wallet from
   * the waiting room.
   * @param checked the membership that was checked: no effect if the gate has admitted the wallet since. Default: any
   */
  async evict(
    roomId: string,
    wallet: PartyId,
    reason: Extract<RemovalReason, 'access_lost' | 'access_unknown'>,
    access: WireAccessResult | null,
    checked?: MemberRow,
  ): Promise<void> {
    const { store, log } = this.#deps;
    const before = await store.inRoom(roomId, async (executor, room) => {
      const member = await store.member(roomId, wallet, executor);
      if (checked && !isDeepStrictEqual(admittedAs(member), admittedAs(checked))) return null;
      return member?.standing === 'present' || member?.standing === 'waiting'
        ? this.#exits.vacate(executor, room, member, { standing: 'away', reason })
        : null;
    });
    if (!before) return;
    if (before.standing === 'waiting') return this.#announceExit(before);
    log.info({ roomId, wallet, reason }, 'participant evicted by gate');
    await this.#remove(before, reason, access);
  }

  /**
   * Revokes a participant token. The guest, on whichever node it is, leaves the room, and its connections are closed. If this fails halfway,
   * call it again.
   * @returns the token
   */
  async revoke(roomId: string, tokenId: string): Promise<WireToken> {
    const { store, participantTokens, endSession, log } = this.#deps;
    const { token, left } = await store.inRoom(roomId, async (executor, room) => {
      const revoked = await participantTokens.revoke(executor, roomId, tokenId);
      return { token: revoked, left: await this.#vacateRevoked(executor, room, revoked) };
    });
    log.info({ roomId, tokenId }, 'participant token revoked');
    if (left) await this.#remove(left, 'revoked');
    // A host may have moved the guest to another room.
    for (const { roomId: id } of await store.presentWith(tokenId)) {
      const moved = await store.inRoom(id, (executor, room) => this.#vacateRevoked(executor, room, token));
      if (moved) await this.#remove(moved, 'revoked');
    }
    endSession(tokenId);
    return toToken(token);
  }

  async #vacateRevoked(
    executor: Executor,
    room: RoomRow,
    { id, identity }: Pick<ParticipantTokenRow, 'id' | 'identity'>,
  ): Promise<MemberRow | null> {
    const member = await this.#deps.store.member(room.id, identity, executor);
    if (member?.standing !== 'present' || member.tokenId !== id) return null;
    return this.#exits.vacate(executor, room, member, { standing: 'away', reason: 'revoked' });
  }

  /**
   * Tells the devices of these participants where a host has moved them, and the others that they have left.
   * @param moved the memberships as they were
   */
  async announceMoves(moved: MemberRow[], to: string, reason: MoveReason): Promise<void> {
    const { notifier } = this.#deps;
    for (const before of moved) {
      notifier.unsubscribe(before.socket, before.roomId);
      notifier.moved(before, to, reason);
    }
    await Promise.all(moved.map((before) => this.#announceExit(before, before.socket ?? undefined)));
  }

  async waiting(context: PartyContext, roomId: string): Promise<WireWaiter[]> {
    const { store } = this.#deps;
    await mustHost(store, store.executor, await store.room(roomId), context);
    return (await store.waitingIn(roomId)).map(toWaiter);
  }

  /** Admits a wallet from the waiting room. Its device is notified and joins again by itself. @throws ParleyError ROOM_FULL */
  async admit(context: PartyContext, request: RequestOf<'conference.admit'>): Promise<void> {
    await this.#answer(context, request, 'admitted');
  }

  /** Admits those who wait, longest wait first, as far as the room has places. @throws ParleyError ROOM_FULL if it has none */
  async admitAll(context: PartyContext, roomId: string): Promise<ResponseOf<'conference.admitAll'>> {
    const { store, notifier } = this.#deps;
    const { admitted, waiting } = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context);
      // Those who are admitted already are about to enter.
      const all = await store.waitingIn(roomId, executor);
      const waiters = all.filter(({ isInvited }) => !isInvited);
      const taken = (await store.countPresent(executor, roomId)) + all.length - waiters.length;
      const places = Math.max(0, room.maxParticipants - taken);
      if (waiters.length > 0 && places === 0) throw full();
      const chosen = waiters.slice(0, places);
      await store.changeRoom(executor, roomId);
      await store.admitMembers(
        executor,
        roomId,
        chosen.map(({ wallet }) => wallet),
      );
      return { admitted: chosen, waiting: waiters.length - chosen.length };
    });
    for (const waiter of admitted) notifier.answered(waiter, 'admitted');
    return { admitted: admitted.length, waiting };
  }

  async deny(context: PartyContext, request: RequestOf<'conference.deny'>): Promise<void> {
    await this.#answer(context, request, 'denied');
  }

  async #answer(
    context: PartyContext,
    { roomId, walletAddress }: RequestOf<'conference.admit'>,
    answer: 'admitted' | 'denied',
  ): Promise<void> {
    const { store, notifier } = this.#deps;
    const { room, waiter } = await store.inRoom(roomId, async (executor, row) => {
      await mustHost(store, executor, row, context);
      const member = await store.member(roomId, walletAddress, executor);
      if (member?.standing !== 'waiting')
        throw new ParleyError(
          'NOT_FOUND',
          'This wallet is not in the waiting room: it has left, or was answered already.',
        );
      if (answer === 'denied') {
        await this.#exits.vacate(executor, row, member, { standing: 'removed', reason: 'kicked' });
      } else {
        if ((await store.countPresent(executor, roomId)) >= row.maxParticipants) throw full();
        await store.changeRoom(executor, roomId);
        await store.changeMember(executor, roomId, walletAddress, { isInvited: true });
      }
      return { room: row, waiter: member };
    });
    notifier.answered(waiter, answer);
    if (answer === 'denied') await notifier.waiting(room, waiter, 'left');
  }

  /** Called when a device has lost its connection. It stays a participant for the grace period. */
  async onDisconnected(socketId: string): Promise<void> {
    for (const member of await this.#deps.store.on(socketId)) await this.expectBack(member);
  }

  /** Called when a device goes silent or answers again. Its connection may already be closed. */
  async onSilence(socketId: string, isSilent: boolean): Promise<void> {
    const { store, notifier, graceMs } = this.#deps;
    for (const member of await store.on(socketId)) {
      const changed = isSilent
        ? await this.#exits.expectBack(member, silentUntil(graceMs), true)
        : await this.#exits.heardAgain(member);
      if (changed) notifier.away(changed, isSilent);
    }
  }

  /**
   * Sets the deadline by which a member's device must come back. No effect if the member is on another connection or already has a
   * deadline.
   */
  async expectBack(member: MemberRow, dueAt = new Date(Date.now() + this.#deps.graceMs)): Promise<void> {
    if (!member.socket) return;
    const away = await this.#exits.expectBack(member, dueAt);
    if (away) this.#deps.notifier.away(away, true);
  }

  async #onGone({ subject, payload }: JobRow): Promise<void> {
    const [roomId, wallet] = subject.split('/') as [string, PartyId];
    const { socket } = payload as Expected;
    // No effect when the member is on another connection.
    const before = await this.#exits.leave(roomId, wallet, [socket], 'connection_lost');
    if (before) await this.#announceExit(before);
  }

  /** @returns the reason if the gate cannot be read; null if it lets the party in @throws ParleyError ACCESS_DENIED */
  async #checkGate(room: RoomRow, context: PartyContext): Promise<ParleyError | null> {
    if (room.status === 'ended') return null;
    const access = await roomAccess(this.#deps, room, context).catch((error: unknown) => {
      if (error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE') return error;
      throw error;
    });
    if (access instanceof ParleyError) return access;
    if (access.allowed) return null;
    await this.evict(room.id, context.wallet, 'access_lost', access);
    throw accessDenied(access);
  }

  async #announceEntry(entry: Entry, socket: ParleySocket, held: string[]): Promise<void> {
    const { notifier, media, log } = this.#deps;
    const { room, before, after, verdict } = entry;
    const { id: roomId } = room;
    if (verdict === 'wait') {
      if (before?.standing !== 'waiting') await notifier.waiting(room, after, 'joined');
      return;
    }
    if (before?.standing === 'waiting') await notifier.waiting(room, before, 'left');
    const former = before?.standing === 'present' ? before.socket : null;
    if (former && former !== socket.id) {
      notifier.unsubscribe(former, roomId);
      if (!held.includes(former)) {
        await media.evict(roomId, { identity: after.wallet, revision: after.revision }, former);
        notifier.replaced(former, roomId);
      }
    }
    if (looksDifferent(entry)) {
      if (before?.sending.includes('screen') && !after.sending.includes('screen'))
        notifier.screenShare(after, 'stopped');
      notifier.updated(after);
    }
    if (verdict !== 'enter') return;
    notifier.joined(after);
    log.debug({ roomId, wallet: after.wallet }, 'participant joined');
  }

  async #remove(
    before: MemberRow,
    reason: RemovalReason,
    access: WireAccessResult | null = null,
  ): Promise<void> {
    // In this order, because a device that reacts to the event by joining again must stay in the channel.
    this.#deps.notifier.unsubscribe(before.socket, before.roomId);
    this.#deps.notifier.removed(before, reason, access);
    await this.#announceExit(before, before.socket ?? undefined);
  }

  async #announceExit(before: MemberRow, exceptSocket?: string): Promise<void> {
    const { store, notifier, media } = this.#deps;
    const { roomId, socket, wallet, revision } = before;
    notifier.unsubscribe(socket, roomId);
    if (before.standing === 'waiting') {
      await notifier.waiting(await store.room(roomId), before, 'left');
      // Other devices of the wallet may wait as well: the one that joined last had the place in the waiting room.
      notifier.joinAgain(before, exceptSocket);
      return;
    }
    notifier.left(before, exceptSocket);
    await media.evict(roomId, { identity: wallet, revision }, socket);
  }
}

/** What changes whenever the gate admits a member. */
const admittedAs = (member: MemberRow | null) => [member?.participantId, member?.gateCheckedAt];
