import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNotNull,
  isNull,
  ne,
  or,
  sql,
} from 'drizzle-orm';
import { union } from 'drizzle-orm/pg-core';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { roomOwners } from '../../media/cluster/tables.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { RoomStatus } from '../../sdk/protocol/conference.ts';
import { ChatLog } from '../chat/ChatLog.ts';
import { first } from '../../platform/database/first.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import type { OwnNode } from '../../platform/node/OwnNode.ts';
import { isOneOf } from '../../platform/database/isOneOf.ts';
import type { PartyContext } from '../socket/RequestContext.ts';
import { listed, type Subscription } from '../socket/unsubscribeFormer.ts';
import { FamilyStore, membersWhere, nextRevision, present, roomsWhere } from './FamilyStore.ts';
import { noSuchParticipant, noSuchRoom } from './refusals.ts';
import { leavingAt } from './RoomHistory.ts';
import { roomChat, roomMembers, rooms, type MemberRow, type RoomRow } from './tables.ts';

/** Rooms, members and chat in the database. */
export class ConferenceStore extends FamilyStore {
  readonly chat: ChatLog;

  constructor(db: NodePgDatabase, node: OwnNode) {
    super(db, node);
    this.chat = new ChatLog(db, roomChat);
  }

  /** Runs single statements, outside a transaction. */
  get executor(): Executor {
    return this.db;
  }

  /**
   * Runs a transaction that locks the room, and with it its members, until the end. Of fifty simultaneous joins, each sees the ones before
   * it.
   * @throws ParleyError NOT_FOUND
   */
  inRoom<T>(roomId: string, run: (executor: Executor, room: RoomRow) => Promise<T>): Promise<T> {
    return this.changing([roomId], async (executor) => run(executor, await this.lockRoom(executor, roomId)));
  }

  /** Locks the room, as inRoom() does, in a transaction that has begun. @throws ParleyError NOT_FOUND */
  async lockRoom(executor: Executor, roomId: string): Promise<RoomRow> {
    const [room] = await roomsWhere(executor, eq(rooms.id, roomId)).for('update');
    if (!room) throw noSuchRoom();
    return room;
  }

  async insertRoom(executor: Executor, row: RoomRow): Promise<void> {
    await executor.insert(rooms).values(row);
  }

  /** @param changes none if only what a participant may do has changed, or whether a wallet that waits may enter */
  async changeRoom(executor: Executor, roomId: string, changes: Partial<RoomRow> = {}): Promise<RoomRow> {
    const set = { ...changes, changedAt: new Date() };
    const [row] = await executor.update(rooms).set(set).where(eq(rooms.id, roomId)).returning();
    if (!row) throw noSuchRoom();
    return row;
  }

  /** @throws ParleyError NOT_FOUND */
  async room(roomId: string): Promise<RoomRow> {
    const [row] = await roomsWhere(this.db, eq(rooms.id, roomId));
    if (!row) throw noSuchRoom();
    return row;
  }

  async roomsById(ids: string[], executor: Executor = this.db): Promise<Map<string, RoomRow>> {
    const rows = await roomsWhere(executor, inArray(rooms.id, ids));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Counts a wallet's rooms that have not ended. Until the transaction ends, the wallet cannot create another room. */
  async countRoomsOf(executor: Executor, host: PartyId): Promise<number> {
    await executor.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`rooms of ${host}`}, 0))`);
    const [row] = await executor
      .select({ count: count() })
      .from(rooms)
      .where(and(eq(rooms.host, host), ne(rooms.status, 'ended')));
    return row?.count ?? 0;
  }

  /** Rooms the wallet hosts, has joined or is invited to, newest first, without breakouts. */
  async roomsOf(
    wallet: PartyId,
    { status, limit, offset }: { status?: RoomStatus | undefined; limit: number; offset: number },
  ): Promise<RoomRow[]> {
    const isAsked = and(
      isNull(rooms.parentId),
      status ? eq(rooms.status, status) : ne(rooms.status, 'ended'),
    );
    const inOrder = [desc(rooms.createdAt), desc(rooms.id)];
    const hosted = this.db
      .select()
      .from(rooms)
      .where(and(eq(rooms.host, wallet), isAsked))
      .orderBy(...inOrder)
      .limit(offset + limit);
    const ofOthers = this.db
      .select(getTableColumns(rooms))
      .from(roomMembers)
      .innerJoin(rooms, eq(rooms.id, roomMembers.roomId))
      .where(and(eq(roomMembers.wallet, wallet), isWelcome, isAsked))
      .orderBy(...inOrder)
      .limit(offset + limit);
    // Each part has an index. For one condition with OR, PostgreSQL would read all rooms.
    return union(hosted, ofOthers)
      .orderBy(...inOrder)
      .limit(limit)
      .offset(offset);
  }

  /** The rooms of a host, newest first. Without a status, those that have not ended. */
  async roomsOfHost(
    host: PartyId,
    status: RoomStatus | undefined,
    { limit, before }: PlacedPage,
  ): Promise<RoomRow[]> {
    return roomsWhere(
      this.db,
      and(
        eq(rooms.host, host),
        status ? eq(rooms.status, status) : ne(rooms.status, 'ended'),
        after(before, rooms.createdAt, rooms.id),
      ),
    )
      .orderBy(desc(rooms.createdAt), desc(rooms.id))
      .limit(limit);
  }

  async member(roomId: string, wallet: PartyId, executor: Executor = this.db): Promise<MemberRow | null> {
    return first(membersWhere(executor, memberOf(roomId, wallet)));
  }

  /**
   * The room, and those of these participants who are in it: the wallet's, and those with these ids.
   * @throws ParleyError NOT_FOUND
   */
  async roomWith(
    roomId: string,
    wallet: PartyId,
    participantIds: string[],
  ): Promise<{ room: RoomRow; members: MemberRow[] }> {
    // One parameter for all ids, and none without any, so that PostgreSQL need not look through the room.
    const isOther =
      participantIds.length > 0
        ? isOneOf(roomMembers.participantId, [...new Set(participantIds)])
        : undefined;
    const isWanted = and(
      eq(roomMembers.roomId, rooms.id),
      eq(roomMembers.standing, 'present'),
      or(eq(roomMembers.wallet, wallet), isOther),
    );
    const rows = await roomsWhere(this.db, eq(rooms.id, roomId)).leftJoin(roomMembers, isWanted);
    const [found] = rows;
    if (!found) throw noSuchRoom();
    return { room: found.rooms, members: rows.flatMap(({ room_members: member }) => member ?? []) };
  }

  /**
   * The membership of the party that sends a request. The guests of two rooms may have the same identity, so a guest's membership is that
   * of its token. Null also for a guest that has been replaced by another token.
   */
  async own(
    roomId: string,
    { wallet, guest }: Pick<PartyContext, 'wallet' | 'guest'>,
    executor: Executor = this.db,
  ): Promise<MemberRow | null> {
    const member = await this.member(roomId, wallet, executor);
    return guest && member?.tokenId !== guest.tokenId ? null : member;
  }

  /** @throws ParleyError NOT_FOUND */
  async participant(executor: Executor, roomId: string, participantId: string): Promise<MemberRow> {
    const isIt = and(present(roomId), eq(roomMembers.participantId, participantId));
    const [row] = await membersWhere(executor, isIt);
    if (!row) throw noSuchParticipant();
    return row;
  }

  async countWaiting(executor: Executor, roomId: string): Promise<number> {
    const [row] = await executor.select({ count: count() }).from(roomMembers).where(waiting(roomId));
    return row?.count ?? 0;
  }

  /** The participants of these rooms, in the order of joining. */
  async presentIn(roomIds: string[]): Promise<MemberRow[]> {
    if (roomIds.length === 0) return [];
    return membersWhere(
      this.db,
      and(inArray(roomMembers.roomId, roomIds), eq(roomMembers.standing, 'present')),
    ).orderBy(asc(roomMembers.joinedAt), asc(roomMembers.wallet));
  }

  /** The participants of a room, newest first. @param wallets only these, if given */
  async presentOn(
    roomId: string,
    wallets: PartyId[] | null,
    { limit, before }: PlacedPage,
  ): Promise<MemberRow[]> {
    return membersWhere(
      this.db,
      and(
        present(roomId),
        wallets ? inArray(roomMembers.wallet, wallets) : undefined,
        after(before, roomMembers.joinedAt, roomMembers.participantId),
      ),
    )
      .orderBy(desc(roomMembers.joinedAt), desc(roomMembers.participantId))
      .limit(limit);
  }

  async waitingIn(roomId: string, executor: Executor = this.db): Promise<MemberRow[]> {
    return membersWhere(executor, waiting(roomId)).orderBy(asc(roomMembers.changedAt));
  }

  async countMembers(executor: Executor, roomId: string): Promise<number> {
    const [row] = await executor
      .select({ count: count() })
      .from(roomMembers)
      .where(eq(roomMembers.roomId, roomId));
    return row?.count ?? 0;
  }

  /** The memberships of these wallets in the room, by wallet. */
  async membersOf(roomId: string, wallets: PartyId[], executor: Executor): Promise<Map<PartyId, MemberRow>> {
    const rows = await membersWhere(
      executor,
      and(eq(roomMembers.roomId, roomId), inArray(roomMembers.wallet, wallets)),
    );
    return new Map(rows.map((row) => [row.wallet, row]));
  }

  /** The memberships of a wallet in these rooms, by room. */
  async membershipsOf(wallet: PartyId, roomIds: string[]): Promise<Map<string, MemberRow>> {
    const isIt = and(eq(roomMembers.wallet, wallet), inArray(roomMembers.roomId, roomIds));
    return new Map((await membersWhere(this.db, isIt)).map((row) => [row.roomId, row]));
  }

  /** Inserts or updates memberships. All changes to the same set of fields share one statement. */
  async putMembers(
    executor: Executor,
    roomId: string,
    changes: Map<PartyId, MemberChanges>,
  ): Promise<Map<PartyId, MemberRow>> {
    const statements = new Map<string, (MemberChanges & { wallet: PartyId })[]>();
    for (const [wallet, changed] of changes) {
      const values = { changedAt: new Date(), ...changed, ...this.#nodeOf(changed) };
      const fields = Object.keys(values).sort().join();
      statements.set(fields, [...(statements.get(fields) ?? []), { wallet, ...values }]);
    }
    const put = new Map<PartyId, MemberRow>();
    for (const rows of statements.values()) {
      const written = await executor
        .insert(roomMembers)
        .values(rows.map((row) => ({ roomId, changedAt: new Date(), ...row })))
        .onConflictDoUpdate({
          target: [roomMembers.roomId, roomMembers.wallet],
          set: { ...asInserted(Object.keys(rows[0] ?? {})), revision: nextRevision },
        })
        .returning();
      for (const row of written) put.set(row.wallet, row);
    }
    return put;
  }

  /** @returns null when the wallet has no membership */
  async changeMember(
    executor: Executor,
    roomId: string,
    wallet: PartyId,
    changes: Partial<MemberRow>,
  ): Promise<MemberRow | null> {
    return first(
      executor
        .update(roomMembers)
        .set({ ...changes, ...this.#nodeOf(changes), revision: nextRevision })
        .where(memberOf(roomId, wallet))
        .returning(),
    );
  }

  /** Ends the memberships of all of these members with the same changes. @returns their new revisions */
  async endMembers(
    executor: Executor,
    roomId: string,
    wallets: PartyId[],
    changes: Partial<MemberRow>,
  ): Promise<Map<PartyId, number>> {
    const { wallet, revision } = roomMembers;
    const rows = await executor
      .update(roomMembers)
      .set({ ...changes, ...leavingAt(new Date()), revision: nextRevision })
      .where(and(eq(roomMembers.roomId, roomId), inArray(roomMembers.wallet, wallets)))
      .returning({ wallet, revision });
    return new Map(rows.map((row) => [row.wallet, row.revision]));
  }

  /**
   * Stores what the device on this connection sends, if it is still the wallet's device in the room.
   * @param report called in the transaction that stores a change
   * @returns null if nothing has changed
   */
  async setSending(
    roomId: string,
    wallet: PartyId,
    socket: string,
    sending: MemberRow['sending'],
    report: (executor: Executor, after: MemberRow) => Promise<void>,
  ): Promise<{ before: MemberRow; after: MemberRow } | null> {
    const before = await this.member(roomId, wallet);
    if (!before || before.standing !== 'present' || before.socket !== socket) return null;
    const same =
      before.sending.length === sending.length && sending.every((one) => before.sending.includes(one));
    if (same) return null;
    const after = await this.changing([roomId], async (executor) => {
      const [changed] = await executor
        .update(roomMembers)
        .set({ sending, revision: nextRevision })
        .where(
          and(memberOf(roomId, wallet), eq(roomMembers.socket, socket), eq(roomMembers.standing, 'present')),
        )
        .returning();
      if (changed) await report(executor, changed);
      return changed;
    });
    return after ? { before, after } : null;
  }

  /** Removes everybody, because the room has ended. @returns the participants, as they were */
  async clear(executor: Executor, roomId: string, endedAt: Date): Promise<MemberRow[]> {
    const there = await membersWhere(executor, present(roomId));
    await executor
      .update(roomMembers)
      .set({ ...gone, ...leavingAt(endedAt), standing: 'away', changedAt: endedAt })
      .where(and(eq(roomMembers.roomId, roomId), isThere));
    return there;
  }

  /** The wallets that waited when the room ended: unlike participants, they did not leave it then. */
  async waitedAtEnd({ id, endedAt }: RoomRow): Promise<PartyId[]> {
    if (!endedAt) return [];
    const changed = await this.changedSince(id, endedAt);
    return changed
      .filter(({ leftAt }) => leftAt?.getTime() !== endedAt.getTime())
      .map(({ wallet }) => wallet);
  }

  /** Members, present or waiting, whose device is on this connection. */
  async on(socket: string): Promise<MemberRow[]> {
    return membersWhere(this.db, and(eq(roomMembers.socket, socket), isThere));
  }

  async onNode(nodeId: string): Promise<MemberRow[]> {
    return membersWhere(this.db, and(eq(roomMembers.node, nodeId), isThere));
  }

  /** Those of these connections that are no longer a participant's, in rooms that have not ended. */
  async former(subscribed: Subscription[]): Promise<Subscription[]> {
    const { rows } = await this.db.execute<{ n: number }>(sql`
      SELECT g.n::int FROM ${listed(subscribed)}
      JOIN rooms r ON r.id = g.id AND r.status <> 'ended'
      WHERE NOT EXISTS (
        SELECT FROM room_members m WHERE m.room_id = g.id AND m.socket = g.socket AND m.standing = 'present')`);
    return rows.flatMap(({ n }) => subscribed[n - 1] ?? []);
  }

  /** Members whose standing changed between these times. */
  async changedBetween(from: Date, to: Date): Promise<MemberRow[]> {
    return membersWhere(this.db, between(roomMembers.changedAt, from, to)).limit(10_000);
  }

  /** The members of a room whose standing has changed since this time. */
  async changedSince(roomId: string, since: Date): Promise<MemberRow[]> {
    return membersWhere(this.db, and(eq(roomMembers.roomId, roomId), gte(roomMembers.changedAt, since)));
  }

  /** Rooms that have not ended, and in which something other than who is there changed between these times. */
  async roomsChangedBetween(from: Date, to: Date): Promise<RoomRow[]> {
    return roomsWhere(this.db, and(ne(rooms.status, 'ended'), between(rooms.changedAt, from, to)));
  }

  async endedBetween(from: Date, to: Date): Promise<RoomRow[]> {
    return roomsWhere(this.db, between(rooms.endedAt, from, to));
  }

  /** Ended rooms that still have media on some node. */
  async withMediaLeft(): Promise<string[]> {
    const rows = await this.db
      .select({ id: rooms.id })
      .from(roomOwners)
      .innerJoin(rooms, eq(rooms.id, roomOwners.roomId))
      .where(eq(rooms.status, 'ended'))
      .limit(1_000);
    return rows.map(({ id }) => id);
  }

  /** A connection is stored only by the node that accepted it, so it is stored with this node's id. */
  #nodeOf({ socket }: Partial<MemberRow>): Partial<MemberRow> {
    if (socket === undefined) return {};
    return { node: socket === null ? null : this.node.id };
  }
}

export type MemberChanges = Partial<MemberRow> & Pick<MemberRow, 'standing'>;

/** On conflict, sets these fields to the values of the insert. */
const asInserted = (fields: string[]) =>
  Object.fromEntries(
    Object.entries(getTableColumns(roomMembers))
      .filter(([field]) => fields.includes(field) && field !== 'wallet')
      .map(([field, { name }]) => [field, sql.raw(`excluded."${name}"`)]),
  );

/** The values of these fields for a member who is not in the room. */
export const gone = {
  participantId: null,
  socket: null,
  node: null,
  joinedAt: null,
  hushed: false,
  handRaised: false,
  sending: [],
  gateCheckedAt: null,
} satisfies Partial<MemberRow>;

const memberOf = (roomId: string, wallet: PartyId) =>
  and(eq(roomMembers.roomId, roomId), eq(roomMembers.wallet, wallet));
const waiting = (roomId: string) => and(eq(roomMembers.roomId, roomId), eq(roomMembers.standing, 'waiting'));
const isThere = inArray(roomMembers.standing, ['present', 'waiting']);
/** Whether a wallet is in a room or invited. It does not see an invitation to a room of a wallet that it has blocked, unless it was inside. */
const isWelcome = or(
  eq(roomMembers.standing, 'present'),
  and(
    eq(roomMembers.isInvited, true),
    ne(roomMembers.standing, 'removed'),
    or(
      isNotNull(roomMembers.firstJoinedAt),
      sql`NOT EXISTS (SELECT FROM blocks b WHERE b.wallet = ${roomMembers.wallet} AND b.blocked = ${rooms.host})`,
    ),
  ),
);
