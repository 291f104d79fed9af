import { mostBreakouts } from '../../sdk/protocol/breakouts.ts';
import type { WireConferenceRoom } from '../../sdk/protocol/conference.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { newId } from '../../sdk/protocol/ids.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { isBackend, type PartyContext } from '../socket/RequestContext.ts';
import { jobKinds, type ConferenceDeps } from './ConferenceDeps.ts';
import type { ConferenceMembership } from './ConferenceMembership.ts';
import type { ConferenceRooms, EndedRoom } from './ConferenceRooms.ts';
import { rootOf } from './FamilyStore.ts';
import { isOwn, mustHost } from './permissions.ts';
import { full, noSuchParticipant, noSuchRoom, notInside, over } from './refusals.ts';
import { RoomMoves } from './RoomMoves.ts';
import type { MemberRow, RoomRow } from './tables.ts';
import { toChat, toRoom } from './toWire.ts';

interface MadeBreakouts {
  parent: RoomRow;
  /** The breakouts, and who is moved into each: the memberships as they were. */
  created: { row: RoomRow; moved: MemberRow[] }[];
}

interface EndedBreakout {
  ended: EndedRoom | null;
  moved: MemberRow[];
}

/** Breakouts: rooms with a parent, whose participants come back when they end. A host of one room of such a family is a host of all. */
export class Breakouts {
  readonly #deps: ConferenceDeps;
  readonly #memberships: ConferenceMembership;
  readonly #rooms: ConferenceRooms;
  readonly #moves: RoomMoves;

  constructor(deps: ConferenceDeps, memberships: ConferenceMembership, rooms: ConferenceRooms) {
    this.#deps = deps;
    this.#memberships = memberships;
    this.#rooms = rooms;
    this.#moves = new RoomMoves(deps);
    deps.jobs.on(jobKinds.breakouts, ({ subject }) => this.#end(subject, null));
  }

  async create(context: PartyContext, request: RequestOf<'breakouts.create'>): Promise<WireConferenceRoom[]> {
    const made = await this.write(context, request);
    await this.announce(context, made);
    return made.created.map(({ row }) => this.#toWire(row));
  }

  /**
   * Stores breakouts, and who is moved into them. Call announce() after the transaction.
   * @param within the transaction, whose connection is the only one that is used. Default: a new one
   */
  async write(
    context: PartyContext,
    { roomId, rooms, durationSeconds }: RequestOf<'breakouts.create'>,
    within?: Executor,
  ): Promise<MadeBreakouts> {
    const { store, jobs, limits } = this.#deps;
    mustNameOnce(rooms.flatMap(({ participantIds }) => participantIds));
    // Others do not use up their limit, and lock nothing.
    if (!within) await mustHost(store, store.executor, await store.room(roomId), context);
    await limits.creating.consume(context);
    const make = async (executor: Executor, family: Map<string, RoomRow>): Promise<MadeBreakouts> => {
      const room = family.get(roomId) as RoomRow;
      await mustHost(store, executor, room, context);
      if (room.status === 'ended') throw over();
      if (room.parentId)
        throw new ParleyError(
          'CONFLICT',
          'A breakout has no breakouts of its own: create them in its parent.',
        );
      if (family.size - 1 + rooms.length > mostBreakouts)
        throw new ParleyError(
          'CONFLICT',
          `A room has at most ${mostBreakouts} breakouts: end the others first.`,
        );
      await this.#rooms.mustHavePlaces(executor, context, room.host, rooms.length);
      const breakouts = [];
      for (const [index, { name, participantIds }] of rooms.entries()) {
        const row = breakoutOf(room, name, index);
        await store.insertRoom(executor, row);
        const members = await store.participants(executor, roomId, participantIds);
        breakouts.push({ row, moved: await this.#moves.move(executor, room, row, members) });
      }
      if (durationSeconds === undefined) return { parent: room, created: breakouts };
      const breakoutsEndAt = new Date(Date.now() + durationSeconds * 1_000);
      await jobs.set(executor, jobKinds.breakouts, roomId, breakoutsEndAt);
      return { parent: await store.changeRoom(executor, roomId, { breakoutsEndAt }), created: breakouts };
    };
    return store.inFamilies([roomId], make, within);
  }

  /** Tells those who are moved, and everybody in the parent. Never throws: a device that is not told learns it when it returns. */
  async announce({ wallet: by }: PartyContext, { parent, created }: MadeBreakouts): Promise<void> {
    const { notifier, log } = this.#deps;
    const roomId = parent.id;
    log.info({ roomId, by, breakouts: created.length }, 'breakouts created');
    notifier.roomUpdated(this.#toWire(parent));
    await Promise.all(
      created.map(({ row, moved }) => this.#memberships.announceMoves(moved, row.id, 'host')),
    ).catch((err: unknown) => log.warn({ err, roomId }, 'moves not announced'));
  }

  /** Hosts see all participants, others only those of the breakout that they are in. */
  async list(context: PartyContext, roomId: string): Promise<WireConferenceRoom[]> {
    const { store } = this.#deps;
    const room = await store.room(roomId);
    const rows = await store.breakoutsOf(rootOf(room));
    const present = await store.presentIn([rootOf(room), ...rows.map(({ id }) => id)]);
    const own = present.filter((member) => isOwn(member, context));
    const isHost = room.host === context.wallet || own.some(({ role }) => role === 'host');
    if (!isHost && own.length === 0) throw notInside();
    return rows.map((row) => {
      const isShown = isHost || own.some((member) => member.roomId === row.id);
      return this.#toWire(row, isShown ? present.filter((member) => member.roomId === row.id) : []);
    });
  }

  /** Moves participants between a room and its breakouts, or, for a backend, to any other room of its account. */
  async move(
    context: PartyContext,
    { roomId, participantIds, to }: RequestOf<'breakouts.move'>,
  ): Promise<void> {
    const { store, limits, log } = this.#deps;
    if (roomId === to) throw invalid('to', 'The participants are in this room already: name another one.');
    await limits.changing.consume(context);
    const moved = await store.inFamilies([roomId, to], async (executor, family) => {
      const [source, target] = [family.get(roomId) as RoomRow, family.get(to) as RoomRow];
      const members = await store.participants(executor, roomId, participantIds);
      await this.#mustBeAllowed(executor, context, { source, target, members });
      if (source.status === 'ended' || target.status === 'ended') throw over();
      if (members.length === 0) throw noSuchParticipant();
      // Those in the breakouts of a room have their places in it.
      const isReturn = source.parentId === to;
      const present = isReturn ? 0 : await store.countPresent(executor, to);
      if (present + members.length > target.maxParticipants) throw full();
      return this.#moves.move(executor, source, target, members);
    });
    log.info({ roomId, to, by: context.wallet, participants: moved.length }, 'participants moved');
    await this.#memberships.announceMoves(moved, to, 'host');
  }

  /** Everybody may return from a breakout to its parent. All other moves are for hosts, and those to rooms of no common parent for backends. */
  async #mustBeAllowed(
    executor: Executor,
    context: PartyContext,
    { source, target, members }: { source: RoomRow; target: RoomRow; members: MemberRow[] },
  ): Promise<void> {
    const isSelf = members.length > 0 && members.every((member) => isOwn(member, context));
    if (isSelf && source.parentId === target.id) return;
    await mustHost(this.#deps.store, executor, source, context);
    if (rootOf(source) === rootOf(target)) return;
    if (!isBackend(context))
      throw new ParleyError(
        'CONFLICT',
        'Participants can be moved between a room and its breakouts only: choose one of these rooms.',
      );
    if (target.host !== context.wallet) throw noSuchRoom();
  }

  /** @param roomId a room, whose breakouts end, or a breakout, which ends alone */
  async end(context: PartyContext, roomId: string): Promise<void> {
    const { store } = this.#deps;
    await mustHost(store, store.executor, await store.room(roomId), context);
    await this.#end(roomId, context);
  }

  /** Ends a room for everybody. A breakout ends as with end(): its participants come back to the parent, which goes on. */
  async endRoom(context: PartyContext, roomId: string): Promise<void> {
    const { store } = this.#deps;
    const room = await store.room(roomId);
    if (!room.parentId) return this.#rooms.end(context, roomId);
    await mustHost(store, store.executor, room, context);
    if (!(await this.#end(roomId, context))) throw over();
  }

  /** @param by null when the time of the breakouts is over @returns false if there was nothing to end */
  async #end(roomId: string, by: PartyContext | null): Promise<boolean> {
    const { store, jobs, notifier, log } = this.#deps;
    const done = await store.inFamilies([roomId], async (executor, family) => {
      const room = family.get(roomId) as RoomRow;
      if (by) await mustHost(store, executor, room, by);
      else if (!(await jobs.isDue(jobKinds.breakouts, roomId, executor))) return null;
      const parent = family.get(rootOf(room));
      if (!parent || room.status === 'ended') return null;
      const breakouts = room.parentId ? [room] : [...family.values()].filter((one) => one !== room);
      const ended: EndedBreakout[] = [];
      for (const breakout of breakouts) {
        const members = await store.insideOrExpected(executor, breakout.id);
        const moved = await this.#moves.move(executor, breakout, parent, members);
        ended.push({ moved, ended: await this.#rooms.close(executor, breakout, { type: 'breakouts' }) });
      }
      if (family.size - 1 > breakouts.length) return { parent, ended };
      await jobs.cancel(executor, jobKinds.breakouts, parent.id);
      return { parent: await store.changeRoom(executor, parent.id, { breakoutsEndAt: null }), ended };
    });
    if (!done) return false;
    const { parent, ended } = done;
    log.info({ roomId, by: by?.wallet ?? null, breakouts: ended.length }, 'breakouts ended');
    notifier.roomUpdated(this.#toWire(parent));
    // All are told before the first media are closed.
    await Promise.all(ended.map(({ moved }) => this.#memberships.announceMoves(moved, parent.id, 'ended')));
    for (const one of ended) if (one.ended) await this.#rooms.announceEnd(one.ended, null);
    return true;
  }

  async broadcast(
    context: PartyContext,
    { roomId, content }: RequestOf<'breakouts.broadcast'>,
  ): Promise<void> {
    const { store, limits, notifier } = this.#deps;
    const { wallet } = context;
    await limits.chat.consume(context);
    const written = await store.inFamilies([roomId], async (executor, family) => {
      const room = family.get(roomId) as RoomRow;
      await mustHost(store, executor, room, context);
      if (room.status === 'ended') throw over();
      const own = (await store.hostsOf(room, executor)).find((host) => isOwn(host, context));
      const displayName = own?.displayName ?? null;
      const rows = [];
      for (const scopeId of family.keys())
        rows.push(await store.chat.add(executor, { scopeId, wallet, displayName, content }));
      return rows;
    });
    for (const row of written) notifier.chat(toChat(row));
  }

  async callHost(context: PartyContext, roomId: string): Promise<void> {
    const { store, limits, notifier } = this.#deps;
    const room = await store.room(roomId);
    const member = await store.own(roomId, context);
    if (member?.standing !== 'present') throw notInside();
    if (!room.parentId)
      throw new ParleyError('CONFLICT', 'This room is not a breakout: raise your hand to ask its hosts.');
    await limits.callingHost.consume(context);
    await notifier.hostCalled(room, member);
  }

  #toWire(row: RoomRow, present: MemberRow[] = []): WireConferenceRoom {
    return toRoom(row, present, this.#deps.publicUrl);
  }
}

/** A breakout has the settings of its parent, but admits only hosts and those who are moved there, and ends with its family. */
const breakoutOf = (parent: RoomRow, name: string, index: number): RoomRow => ({
  ...parent,
  id: newId('room'),
  name,
  settings: { ...parent.settings, locked: true, waitingRoom: false, record: false, maxDuration: null },
  status: 'waiting',
  // In the order of the request.
  createdAt: new Date(Date.now() + index),
  startedAt: null,
  recordedBy: null,
  parentId: parent.id,
  breakoutsEndAt: null,
  changedAt: null,
});

/** @throws ParleyError VALIDATION_ERROR when a participant is to be in two breakouts */
function mustNameOnce(participantIds: string[]): void {
  const again = participantIds.find((one, index) => participantIds.indexOf(one) !== index);
  if (!again) return;
  throw invalid('rooms', `${again} is named twice: name each participant once.`);
}

const invalid = (path: string, message: string) =>
  new ParleyError('VALIDATION_ERROR', message, { details: [{ path, code: 'custom', message }] });
