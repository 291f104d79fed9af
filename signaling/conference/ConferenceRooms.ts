import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { defined } from '../../platform/defined.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingRow } from '../recordings/tables.ts';
import { walletOf, type PartyId } from '../../sdk/protocol/party.ts';
import type { changedRoom, RoomEntry, WireConferenceRoom } from '../../sdk/protocol/conference.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { GateConfig } from '../../sdk/protocol/gates.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { isBackend, type PartyContext } from '../socket/RequestContext.ts';
import { leftEvent, roomEvent } from './accountEvents.ts';
import { admission } from './admission.ts';
import { emptyAt, jobKinds, unusedMs, type ConferenceDeps } from './ConferenceDeps.ts';
import { isOpen, mayKnow, mustHost, rightsOf } from './permissions.ts';
import { otherRoom, over } from './refusals.ts';
import { keepAsPast } from './RoomHistory.ts';
import { next, type RoomEvent } from './state.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toRoom } from './toWire.ts';

/** The maximum number of rooms that one wallet may have at a time. Ended rooms do not count. */
const maxRooms = 200;
/** The same for an account with a backend. */
const maxRoomsOfBackend = 10_000;
/** How far ahead a room may be scheduled. */
const longestAheadMs = 366 * 24 * 60 * 60_000;

/** What a host can change in a room. */
type RoomChanges = z.output<typeof changedRoom>;

/** A room whose end is stored, but not announced yet. */
export interface EndedRoom {
  row: RoomRow;
  recording: RecordingRow | null;
  /** The wallets in its waiting room. */
  waiters: PartyId[];
}

/** Creates, finds, changes and ends rooms. */
export class ConferenceRooms {
  readonly #deps: ConferenceDeps;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    deps.jobs.on(jobKinds.empty, ({ subject }) => this.#end(subject, { type: 'empty' }, null));
    deps.jobs.on(jobKinds.duration, ({ subject }) => this.#end(subject, { type: 'expire' }, null));
  }

  async create(
    context: PartyContext,
    request: RequestOf<'conference.create'>,
    gate: GateConfig | null = null,
  ): Promise<WireConferenceRoom> {
    const row = await this.prepare(context, request, gate);
    await this.#deps.store.transaction((executor) => this.insert(executor, context, row));
    return this.#toWire(row, []);
  }

  /** Checks a new room, and its gate on the chain. @returns the row for insert() */
  async prepare(
    context: PartyContext,
    { name, maxParticipants, video, audio, settings, startsAt }: RequestOf<'conference.create'>,
    gate: GateConfig | null,
  ): Promise<RoomRow> {
    const { limits, recordings, gates } = this.#deps;
    const start = startsAt === undefined ? null : new Date(startsAt);
    if (start && start.getTime() > Date.now() + longestAheadMs)
      throw new ParleyError('VALIDATION_ERROR', 'startsAt: must be at most a year ahead.');
    await limits.creating.consume(context);
    if (settings.record) recordings.mustBePossible();
    if (gate) await gates.verify(gate, context.network, walletOf(context.wallet));
    return {
      id: newId('room'),
      name,
      maxParticipants,
      video,
      audio,
      settings,
      host: context.wallet,
      network: context.network,
      gate,
      status: 'waiting',
      createdAt: new Date(),
      startedAt: null,
      endedAt: null,
      endReason: null,
      recordedBy: null,
      parentId: null,
      breakoutsEndAt: null,
      startsAt: start,
      changedAt: null,
    };
  }

  /** Stores a room of prepare(). @throws ParleyError CONFLICT if the host has too many rooms */
  async insert(executor: Executor, context: PartyContext, row: RoomRow): Promise<void> {
    const { store, jobs, log } = this.#deps;
    await this.mustHavePlaces(executor, context, row.host, 1);
    await store.insertRoom(executor, row);
    await jobs.set(executor, jobKinds.empty, row.id, emptyAt(row, unusedMs));
    log.info({ roomId: row.id, wallet: row.host, gate: row.gate?.type ?? null }, 'room created');
  }

  /**
   * Checks that a host may have some more rooms. Call inside the transaction that adds them.
   * @param context who adds them: the host, or another host of one of its rooms
   * @throws ParleyError CONFLICT
   */
  async mustHavePlaces(
    executor: Executor,
    context: PartyContext,
    host: PartyId,
    more: number,
  ): Promise<void> {
    // Guests are in rooms of backends only.
    const isOfBackend = isBackend(context) || context.guest !== null || walletOf(host) === null;
    const [who, most] = isOfBackend ? ['An account', maxRoomsOfBackend] : ['A wallet', maxRooms];
    if ((await this.#deps.store.countRoomsOf(executor, host)) + more > most)
      throw new ParleyError('CONFLICT', `${who} may have ${most} rooms at a time: end some first.`);
  }

  async get(context: PartyContext, roomId: string): Promise<ResponseOf<'conference.get'>> {
    const { store } = this.#deps;
    const row = await store.room(roomId);
    const [member, present] = [await store.own(roomId, context), await store.presentIn([roomId])];
    if (context.guest && context.guest.subjectId !== roomId && !member) throw otherRoom();
    const room = this.#toWire(row, mayKnow(row, context.wallet, member) ? present : []);
    return context.guest || row.status === 'ended'
      ? room
      : { ...room, entry: await this.#entryOf(row, context.wallet, member) };
  }

  /** What happens to a wallet that joins. A page can then show it before the wallet tries. */
  async #entryOf(room: RoomRow, wallet: PartyId, member: MemberRow | null): Promise<RoomEntry> {
    const { store } = this.#deps;
    const verdict = admission({
      settings: room.settings,
      maxParticipants: room.maxParticipants,
      present: await store.countPresent(store.executor, room.id),
      isCreator: wallet === room.host || (await store.hostsOf(room)).some((host) => host.wallet === wallet),
      standing: member?.standing ?? null,
      isInvited: member?.isInvited ?? false,
    });
    return verdict === 'return' ? 'enter' : verdict;
  }

  async list(context: PartyContext, query: RequestOf<'conference.list'>): Promise<WireConferenceRoom[]> {
    const { store } = this.#deps;
    const rows = await store.roomsOf(context.wallet, query);
    const present = await store.presentIn(rows.map(({ id }) => id));
    return rows.map((row) => {
      const inside = present.filter(({ roomId }) => roomId === row.id);
      // An invited wallet may see the participants. For a gated room, an invitation is not enough.
      const isInside = row.host === context.wallet || inside.some(({ wallet }) => wallet === context.wallet);
      return this.#toWire(row, isInside || row.gate === null ? inside : []);
    });
  }

  async lock(context: PartyContext, roomId: string, locked: boolean): Promise<WireConferenceRoom> {
    const row = await this.change(context, roomId, { settings: { locked } });
    return this.#toWire(row, await this.#deps.store.presentIn([roomId]));
  }

  /** Changes the room, and notifies everybody in it if something is different now. Sources that it no longer allows are closed. */
  async change(
    context: PartyContext,
    roomId: string,
    { settings: given = {}, ...more }: RoomChanges,
  ): Promise<RoomRow> {
    const { store, notifier, limits, recordings, log } = this.#deps;
    await mustHost(store, store.executor, await store.room(roomId), context);
    await limits.changing.consume(context);
    if (given.record) recordings.mustBePossible();
    const changes = defined(more);
    const { before, after } = await store.inRoom(roomId, async (executor, room) => {
      await mustHost(store, executor, room, context);
      if (room.status === 'ended') throw over();
      if (room.parentId && (given.locked === false || given.waitingRoom))
        throw new ParleyError('CONFLICT', 'A breakout is always locked: move participants into it instead.');
      const settings = { ...room.settings, ...defined(given) };
      if (isDeepStrictEqual({ ...room, ...changes, settings }, room)) return { before: room, after: room };
      const changed = await store.changeRoom(executor, roomId, { ...changes, settings });
      await this.#reschedule(executor, room, changed);
      return { before: room, after: changed };
    });
    if (after === before) return after;
    // The event does not list the participants, whom the devices already know. Otherwise each of a thousand devices would get a list of a
    // thousand participants.
    notifier.roomUpdated(this.#toWire(after, []));
    if (isStricter(before, after))
      await this.enforceRights(after).catch((err: unknown) => {
        log.warn({ err, roomId }, 'refused media not closed yet');
        store.doubt(roomId);
      });
    // Nobody answers those who wait any more. Capacity and gate still apply to them.
    if (!isOpen(before) && isOpen(after))
      for (const waiter of await store.waitingIn(roomId)) notifier.joinAgain(waiter);
    return after;
  }

  /** Sets the times at which the room ends, if the change concerns them. */
  async #reschedule(executor: Executor, { settings: before }: RoomRow, room: RoomRow): Promise<void> {
    const { store, jobs } = this.#deps;
    const { id, settings, startedAt, status } = room;
    // A breakout ends with its family.
    if (status !== 'active' || !startedAt || room.parentId) return;
    if (settings.maxDuration === null) await jobs.cancel(executor, jobKinds.duration, id);
    else if (settings.maxDuration !== before.maxDuration)
      await jobs.set(executor, jobKinds.duration, id, later(startedAt, settings.maxDuration));
    if (settings.emptyTimeout !== before.emptyTimeout && (await store.countPresent(executor, id)) === 0)
      await jobs.set(executor, jobKinds.empty, id, emptyAt(room, settings.emptyTimeout * 1_000));
  }

  /** Ends what participants send or receive and may not (any more). */
  async enforceRights(room: RoomRow): Promise<void> {
    const { store, media } = this.#deps;
    // Read before the media: a device that has joined since has a later revision, and stays.
    const present = await store.presentIn([room.id]);
    await media.enforce(
      room.id,
      present.map((member) => rightsOf(room, member)),
    );
  }

  /** Ends the room, and its breakouts, for everybody. A breakout is ended by Breakouts.endRoom(). */
  async end(context: PartyContext, roomId: string): Promise<void> {
    const { store } = this.#deps;
    await mustHost(store, store.executor, await store.room(roomId), context);
    if (!(await this.#end(roomId, { type: 'end' }, context))) throw over();
  }

  /**
   * Repeats the effects of a room's end, in case the node that stored the end died before it had closed the room's media and notified the
   * devices. Those in a breakout were moved to its parent: when they claim their membership, they are told where to.
   */
  async endAgain(row: RoomRow): Promise<void> {
    const { store, media, notifier } = this.#deps;
    await media.closeRoom(row.id);
    if (row.parentId) notifier.requestReload(row.id);
    else notifier.ended(this.#toWire(row, []), await store.waitedAtEnd(row));
  }

  /** @returns false if the room has already ended, or should end later than at the time for which this was scheduled, or is not empty */
  async #end(roomId: string, event: RoomEvent, by: PartyContext | null): Promise<boolean> {
    const { store, jobs } = this.#deps;
    const ended = await store.inFamilies([roomId], async (executor, family) => {
      // The host may have extended the room while this waited.
      if (event.type === 'expire' && !(await jobs.isDue(jobKinds.duration, roomId, executor))) return [];
      if (event.type === 'empty' && !(await this.#isEmpty(executor, roomId))) return [];
      const closed = [await this.close(executor, family.get(roomId) as RoomRow, event)];
      if (!closed[0]) return [];
      for (const breakout of [...family.values()].filter(({ parentId }) => parentId === roomId))
        closed.push(await this.close(executor, breakout, { type: 'breakouts' }));
      return closed;
    });
    // The breakouts end for the host's device too.
    for (const [index, one] of ended.entries()) if (one) await this.announceEnd(one, index === 0 ? by : null);
    return ended.length > 0;
  }

  /** Whether the job that ends an empty room is due, and nobody is in the room or its breakouts. Who leaves last sets the job again. */
  async #isEmpty(executor: Executor, roomId: string): Promise<boolean> {
    const { store, jobs } = this.#deps;
    return (
      (await jobs.isDue(jobKinds.empty, roomId, executor)) &&
      (await store.countPresent(executor, roomId)) === 0
    );
  }

  /** Ends a room. Call inside a transaction that has locked it. @returns null if the event does not apply */
  async close(executor: Executor, room: RoomRow, event: RoomEvent): Promise<EndedRoom | null> {
    const { store, jobs, recordings, accountEvents } = this.#deps;
    const { id: roomId } = room;
    const step = next(room.status, event);
    if (!step) return null;
    const waiters = (await store.waitingIn(roomId, executor)).map(({ wallet }) => wallet);
    const endedAt = new Date();
    const present = await store.clear(executor, roomId, endedAt);
    await jobs.cancelAll(executor, [jobKinds.empty, jobKinds.duration, jobKinds.breakouts], [roomId]);
    const { status, endReason } = step;
    const recording = room.recordedBy ? await recordings.end(executor, roomId, 'over') : null;
    const over = { status, endReason, endedAt, breakoutsEndAt: null };
    const row = await store.changeRoom(executor, roomId, over);
    await keepAsPast(executor, row, endedAt);
    await accountEvents.emit(executor, { id: roomId, owner: room.host }, () => [
      ...present.map((member) => leftEvent(row, member, 'room_ended')),
      roomEvent('room.ended', row),
    ]);
    return { row, recording, waiters };
  }

  /** @param by the host who has ended the room */
  async announceEnd({ row, recording, waiters }: EndedRoom, by: PartyContext | null): Promise<void> {
    const { media, notifier, recordings, log } = this.#deps;
    if (recording) recordings.ended(recording);
    log.info({ roomId: row.id, endReason: row.endReason }, 'room ended');
    await media.closeRoom(row.id);
    notifier.ended(this.#toWire(row, []), waiters, by?.socketId);
  }

  #toWire(row: RoomRow, present: MemberRow[]): WireConferenceRoom {
    return toRoom(row, present, this.#deps.publicUrl);
  }
}

/** Whether the room has allowed a source before that it does not allow now. */
const isStricter = (before: RoomRow, after: RoomRow): boolean =>
  (before.video && !after.video) ||
  (before.audio && !after.audio) ||
  (before.settings.allowScreenShare && !after.settings.allowScreenShare);

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1_000);
