import { newId } from '../../sdk/protocol/ids.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { RemovalReason, WireWaiter } from '../../sdk/protocol/conference.ts';
import type { WireAccessResult } from '../../sdk/protocol/gates.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { Caller, ParleySocket } from '../Caller.ts';
import type { DueRow } from '../due/DueRows.ts';
import type { Executor } from '../Executor.ts';
import { accessDenied } from '../gates/Gates.ts';
import { audiences } from '../Notifier.ts';
import { admission, type Verdict } from './admission.ts';
import { dueKinds, memberSubject, type ConferenceDeps } from './ConferenceDeps.ts';
import { gone } from './ConferenceStore.ts';
import { mayActAsHost, mustHost } from './permissions.ts';
import { full, notInside, over, refusal, replaced } from './refusals.ts';
import { roomAccess } from './roomAccess.ts';
import { next } from './state.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toChat, toParticipant, toRoom, toWaiter } from './toWire.ts';

/** What somebody who joins gets of what was said. */
const chatAtJoin = 50;
/** In front of a door. */
const maxWaiting = 1_000;

type JoinRequest = RequestOf<'conference.join'>;

interface Entry {
  room: RoomRow;
  before: MemberRow | null;
  after: MemberRow;
  verdict: Extract<Verdict, 'return' | 'enter' | 'wait'>;
  /** Its connection was lost, and the others know. */
  wasAway: boolean;
  /** That begins with this entry. */
  recording: RecordingRow | null;
}

/** Who has a place in a room: come in, wait in front of the door, go, are gone, are sent away. One wallet has one place. */
export class ConferencePlaces {
  readonly #deps: ConferenceDeps;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    deps.due.on(dueKinds.gone, (row) => this.#onGone(row));
  }

  /** Takes the wallet's place in the room with this device; or waits in front of the door. Also to come back after having been away. */
  async join(
    caller: Caller,
    socket: ParleySocket,
    request: JoinRequest,
  ): Promise<ResponseOf<'conference.join'>> {
    const { store, limits, news } = this.#deps;
    const { roomId } = request;
    await limits.joining.consume(caller);
    await this.#askGate(await store.room(roomId), caller);
    const entry = await this.#enter(caller, request);
    if (entry.recording) await this.#deps.recordings.go(entry.recording);
    await this.#tellOf(entry, socket, request.held ?? []);
    if (entry.wasAway && entry.after.standing === 'present') news.away(entry.after, false);
    return entry.verdict === 'wait' ? { state: 'waiting' } : this.#letHear(entry, socket);
  }

  /** Only now, since those who are refused are to hear nothing; and before it is looked who is there, so that nothing is missed. */
  async #letHear(
    { room: { id }, after }: Entry,
    socket: ParleySocket,
  ): Promise<ResponseOf<'conference.join'>> {
    const { store, publicUrl } = this.#deps;
    const audience = audiences.conference(id);
    await socket.join(audience);
    // As it is by now: whoever comes in while a recording begins is to know it, too.
    const room = await store.room(id);
    const present = await store.presentIn([room.id]);
    const own = present.find(({ wallet }) => wallet === after.wallet);
    if (own?.socket !== socket.id) {
      // Sent away in this very moment, before there was anything to take from this connection.
      await socket.leave(audience);
      throw notInside();
    }
    return {
      state: 'joined',
      room: toRoom(room, present, publicUrl),
      participant: toParticipant(own),
      muted: own.muted,
      chat: (await store.chat.read(room.id, chatAtJoin)).map(toChat),
    };
  }

  /** From the device that has the place; from another one nothing happens to it. */
  async leave(caller: Caller, { roomId, held = [] }: RequestOf<'conference.leave'>): Promise<void> {
    const { store } = this.#deps;
    const connections = [caller.socketId, ...held];
    const before = await store.inRoom(roomId, async (executor, room) => {
      const member = await store.member(roomId, caller.wallet, executor);
      if (!member?.socket || !connections.includes(member.socket)) return null;
      return this.#vacate(executor, room, member, 'away');
    });
    if (before) await this.#tellLeft(before, caller.socketId);
    this.#deps.news.stopTelling(caller.socketId, roomId);
  }

  /** Out, and not in again unless invited. */
  async kick(caller: Caller, { roomId, participantId }: RequestOf<'conference.kick'>): Promise<void> {
    const { store, log } = this.#deps;
    const before = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, caller.wallet);
      const member = await store.participant(executor, roomId, participantId);
      if (!member) throw new ParleyError('NOT_FOUND', 'There is no such participant in this room.');
      if (member.wallet === room.host)
        throw new ParleyError('CONFLICT', 'Whoever created the room can’t be sent away from it.');
      return this.#vacate(executor, room, member, 'removed');
    });
    log.info({ roomId, wallet: before.wallet, by: caller.wallet }, 'participant sent away');
    await this.#throwOut(before, 'kicked');
  }

  /** The gate no longer holds, or can't be asked. */
  async evict(
    roomId: string,
    wallet: Address,
    reason: Extract<RemovalReason, 'access_lost' | 'access_unknown'>,
    access: WireAccessResult | null,
  ): Promise<void> {
    const { store, log } = this.#deps;
    const before = await store.inRoom(roomId, async (executor, room) => {
      const member = await store.member(roomId, wallet, executor);
      return member?.standing === 'present' ? this.#vacate(executor, room, member, 'away') : null;
    });
    if (!before) return;
    log.info({ roomId, wallet, reason }, 'participant no longer let in');
    await this.#throwOut(before, reason, access);
  }

  async waiting(caller: Caller, roomId: string): Promise<WireWaiter[]> {
    const { store } = this.#deps;
    mayActAsHost(await store.room(roomId), await store.member(roomId, caller.wallet), caller.wallet);
    return (await store.waitingIn(roomId)).map(toWaiter);
  }

  /** Opens the door for somebody who waits: their device comes in by itself. @throws ParleyError ROOM_FULL */
  async admit(caller: Caller, request: RequestOf<'conference.admit'>): Promise<void> {
    await this.#answer(caller, request, 'admitted');
  }

  async deny(caller: Caller, request: RequestOf<'conference.deny'>): Promise<void> {
    await this.#answer(caller, request, 'denied');
  }

  async #answer(
    caller: Caller,
    { roomId, walletAddress }: RequestOf<'conference.admit'>,
    answer: 'admitted' | 'denied',
  ): Promise<void> {
    const { store, news } = this.#deps;
    const { room, waiter } = await store.inRoom(roomId, async (executor, row) => {
      await mustHost(store, executor, row, caller.wallet);
      const member = await store.member(roomId, walletAddress, executor);
      if (member?.standing !== 'waiting')
        throw new ParleyError('NOT_FOUND', 'This wallet does not wait in front of this room.');
      if (answer === 'denied') {
        await this.#vacate(executor, row, member, 'removed');
      } else {
        if ((await store.countPresent(executor, roomId)) >= row.maxParticipants) throw full();
        await store.changeMember(executor, roomId, walletAddress, { isInvited: true });
      }
      return { room: row, waiter: member };
    });
    news.answered(waiter, answer);
    if (answer === 'denied') await news.waiting(room, waiter, 'left');
  }

  /** A device's connection is gone; whoever was in a room with it has a while to come back. */
  async onDisconnected(socketId: string): Promise<void> {
    for (const member of await this.#deps.store.on(socketId)) await this.expectBack(member);
  }

  /** Unless it is on another connection meanwhile, or expected already. */
  async expectBack({ roomId, wallet, socket }: MemberRow, dueAt?: Date): Promise<void> {
    const { store, due, news, graceMs } = this.#deps;
    if (!socket) return;
    const subject = memberSubject(roomId, wallet);
    const away = await store.inRoom(roomId, async (executor) => {
      const now = await store.member(roomId, wallet, executor);
      if (now?.socket !== socket) return null;
      const expected = await due.find(executor, dueKinds.gone, subject);
      if ((expected?.payload as { socket?: string } | undefined)?.socket === socket) return null;
      await due.set(executor, dueKinds.gone, subject, dueAt ?? new Date(Date.now() + graceMs), { socket });
      return now.standing === 'present' ? now : null;
    });
    if (away) news.away(away, true);
  }

  async #onGone({ subject, payload }: DueRow): Promise<void> {
    const [roomId, wallet] = subject.split('/') as [string, Address];
    const { socket } = payload as { socket: string };
    const { store } = this.#deps;
    const before = await store.inRoom(roomId, async (executor, room) => {
      const member = await store.member(roomId, wallet, executor);
      // Back on another connection meanwhile.
      return member?.socket === socket ? this.#vacate(executor, room, member, 'away') : null;
    });
    if (before) await this.#tellLeft(before);
  }

  async #askGate(room: RoomRow, caller: Caller): Promise<void> {
    if (room.status === 'ended') return;
    const access = await roomAccess(this.#deps, room, caller.wallet, caller.network);
    if (access.allowed) return;
    await this.evict(room.id, caller.wallet, 'access_lost', access);
    throw accessDenied(access);
  }

  #enter(caller: Caller, request: JoinRequest): Promise<Entry> {
    const { store } = this.#deps;
    return store.inRoom(request.roomId, async (executor, room) => {
      if (room.status === 'ended') throw over();
      const before = await store.member(room.id, caller.wallet, executor);
      const verdict = admission({
        settings: room.settings,
        maxParticipants: room.maxParticipants,
        present: await store.countPresent(executor, room.id),
        isCreator: caller.wallet === room.host,
        standing: before?.standing ?? null,
        isInvited: before?.isInvited ?? false,
      });
      if (verdict === 'removed' || verdict === 'locked' || verdict === 'full') throw refusal(verdict);
      const isNewAtDoor = verdict === 'wait' && before?.standing !== 'waiting';
      if (isNewAtDoor && (await store.countWaiting(executor, room.id)) >= maxWaiting) throw full();
      const isElsewhere =
        before?.socket && ![caller.socketId, ...(request.held ?? [])].includes(before.socket);
      if (request.held && verdict === 'return' && isElsewhere) throw replaced();
      const place = { executor, room, before, caller, request };
      const subject = memberSubject(room.id, caller.wallet);
      const wasAway = await this.#deps.due.cancel(executor, dueKinds.gone, subject);
      const after = await (verdict === 'wait' ? this.#wait(place) : this.#takePlace(place, verdict));
      const begun = verdict === 'wait' ? { room, recording: null } : await this.#begin(executor, room);
      return { before, after, verdict, wasAway, ...begun };
    });
  }

  #wait({ executor, room, before, caller, request }: Place): Promise<MemberRow> {
    return this.#deps.store.putMember(executor, room.id, caller.wallet, {
      standing: 'waiting',
      socket: caller.socketId,
      displayName: request.displayName ?? before?.displayName ?? null,
      ...(before?.standing === 'waiting' ? { changedAt: before.changedAt } : {}),
    });
  }

  async #takePlace({ executor, room, before, caller, request }: Place, verdict: Verdict): Promise<MemberRow> {
    const { store, due, recheckMs } = this.#deps;
    const isCreator = caller.wallet === room.host;
    const displayName = request.displayName ?? before?.displayName ?? null;
    const isSameDevice = before?.socket && request.held?.includes(before.socket);
    const now = new Date();
    const gateCheckedAt = room.gate ? now : null;
    const member = await store.putMember(executor, room.id, caller.wallet, {
      standing: 'present',
      socket: caller.socketId,
      displayName,
      gateCheckedAt,
      ...(isCreator ? { role: 'host' as const } : {}),
      ...(verdict === 'return'
        ? { changedAt: before?.changedAt ?? now, ...(isSameDevice ? {} : { sending: [] }) }
        : {
            ...gone,
            ...{ socket: caller.socketId, participantId: newId('par'), joinedAt: now, gateCheckedAt },
            muted: room.settings.muteOnEntry && !isCreator && before?.role !== 'host',
          }),
    });
    if (room.gate && !isCreator)
      await due.set(executor, dueKinds.gate, memberSubject(room.id, caller.wallet), fromNow(recheckMs));
    return member;
  }

  /** Somebody is in it: it is not empty any more, and active from the first on. */
  async #begin(executor: Executor, room: RoomRow): Promise<Pick<Entry, 'room' | 'recording'>> {
    const { store, due, recordings } = this.#deps;
    await due.cancel(executor, dueKinds.empty, room.id);
    const step = next(room.status, { type: 'join' });
    if (!step || step.status === room.status) return { room, recording: null };
    const { id: roomId, host, name: title } = room;
    const { maxDuration, record } = room.settings;
    if (maxDuration !== null)
      await due.set(executor, dueKinds.duration, room.id, fromNow(maxDuration * 1_000));
    const recorded = { kind: 'conference', roomId, host, title } as const;
    const recording = record ? await recordings.beginOnce(executor, recorded) : null;
    const recordedBy = recording ? host : null;
    const begun = { status: step.status, startedAt: new Date(), recordedBy };
    return { room: await store.changeRoom(executor, roomId, begun), recording };
  }

  async #tellOf(
    { room, before, after, verdict }: Entry,
    socket: ParleySocket,
    held: string[],
  ): Promise<void> {
    const { news, log } = this.#deps;
    const { id: roomId } = room;
    if (verdict === 'wait') {
      if (before?.standing !== 'waiting') await news.waiting(room, after, 'joined');
      return;
    }
    if (before?.standing === 'waiting') await news.waiting(room, before, 'left');
    const former = before?.standing === 'present' ? before.socket : null;
    if (former && former !== socket.id) {
      news.stopTelling(former, roomId);
      if (!held.includes(former)) {
        await this.#evictMedia(after);
        news.replaced(former, roomId);
      }
    }
    if (verdict === 'return') return;
    news.joined(after);
    log.debug({ roomId, wallet: after.wallet }, 'participant joined');
  }

  /** In a transaction that holds the room. @returns what was there */
  async #vacate(
    executor: Executor,
    room: RoomRow,
    member: MemberRow,
    standing: 'away' | 'removed',
  ): Promise<MemberRow> {
    const { store, due } = this.#deps;
    const { roomId, wallet } = member;
    await store.changeMember(executor, roomId, wallet, {
      ...gone,
      standing,
      changedAt: new Date(),
      ...(standing === 'removed' ? { isInvited: false, role: 'participant' } : {}),
    });
    await due.cancel(executor, dueKinds.gone, memberSubject(roomId, wallet));
    await due.cancel(executor, dueKinds.gate, memberSubject(roomId, wallet));
    const isOver = room.status === 'ended';
    if (!isOver && member.standing === 'present' && (await store.countPresent(executor, roomId)) === 0)
      await due.set(executor, dueKinds.empty, roomId, fromNow(room.settings.emptyTimeout * 1_000));
    return member;
  }

  async #throwOut(
    before: MemberRow,
    reason: RemovalReason,
    access: WireAccessResult | null = null,
  ): Promise<void> {
    // In this order: who comes in again as soon as it hears this is to stay in the audience then.
    this.#deps.news.stopTelling(before.socket, before.roomId);
    this.#deps.news.removed(before, reason, access);
    await this.#tellLeft(before, before.socket ?? undefined);
  }

  async #tellLeft(before: MemberRow, exceptSocket?: string): Promise<void> {
    const { store, news } = this.#deps;
    const { roomId, socket } = before;
    news.stopTelling(socket, roomId);
    if (before.standing === 'waiting') {
      await news.waiting(await store.room(roomId), before, 'left');
      return;
    }
    news.left(before, exceptSocket);
    await this.#evictMedia(before);
  }

  /** Media that can't be reached is being made anew elsewhere, and then lets in only who has a place. */
  async #evictMedia({ roomId, wallet }: MemberRow): Promise<void> {
    const { media, log } = this.#deps;
    await media
      .evict(roomId, wallet)
      .catch((err: unknown) => log.warn({ err, roomId, wallet }, 'media of one who left not closed'));
  }
}

interface Place {
  executor: Executor;
  room: RoomRow;
  before: MemberRow | null;
  caller: Caller;
  request: JoinRequest;
}

const fromNow = (ms: number) => new Date(Date.now() + ms);
