import { and, asc, count, eq, inArray, ne, or, sql, type SQL } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { LivingStore } from '../../platform/node/LivingStore.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import { noSuchRoom } from './refusals.ts';
import { roomMembers, rooms, type MemberRow, type RoomRow } from './tables.ts';

export const roomsWhere = (executor: Executor, where: SQL | undefined) =>
  executor.select().from(rooms).where(where);
export const membersWhere = (executor: Executor, where: SQL | undefined) =>
  executor.select().from(roomMembers).where(where);

export const present = (roomId: string) =>
  and(eq(roomMembers.roomId, roomId), eq(roomMembers.standing, 'present'));
export const nextRevision = sql<number>`${roomMembers.revision} + 1`;

/** The id of the room at the head of a family: of the parent of a breakout, otherwise of the room itself. */
export const rootOf = ({ id, parentId }: Pick<RoomRow, 'id' | 'parentId'>): string => parentId ?? id;

/** Families of rooms in the database: a room with its breakouts. */
export class FamilyStore extends LivingStore {
  #onDoubt: (roomIds: string[]) => void = () => undefined;

  /** Sets what is called when a change of these rooms may have been stored although it failed, or was not completed. */
  onDoubt(handler: (roomIds: string[]) => void): void {
    this.#onDoubt = handler;
  }

  /** Call when a change of a room is stored, but what follows from it could not be done. */
  doubt(roomId: string): void {
    this.#onDoubt([roomId]);
  }

  /** Runs a transaction that changes these rooms. */
  changing<T>(roomIds: string[], run: (executor: Executor) => Promise<T>): Promise<T> {
    return this.transaction(run, () => this.#onDoubt(roomIds));
  }

  /**
   * Like inRoom(), but locks these rooms, their parents and all running breakouts of these. Parents are locked first, then breakouts, each in
   * the order of their ids, so that such transactions never wait for each other in a circle.
   * @param run gets all locked rooms by id
   * @param within the transaction that holds the locks. Default: a new one
   * @throws ParleyError NOT_FOUND
   */
  inFamilies<T>(
    roomIds: string[],
    run: (executor: Executor, family: Map<string, RoomRow>) => Promise<T>,
    within?: Executor,
  ): Promise<T> {
    // With their breakouts, which may end or get participants.
    const concerned = [...roomIds];
    const locked = async (executor: Executor) => {
      const lock = (where: SQL | undefined) =>
        roomsWhere(executor, where).orderBy(asc(rooms.id)).for('update');
      const roots = (await roomsWhere(executor, inArray(rooms.id, roomIds))).map(rootOf);
      const parents = await lock(inArray(rooms.id, roots));
      const isNeeded = or(ne(rooms.status, 'ended'), inArray(rooms.id, roomIds));
      const breakouts = await lock(and(inArray(rooms.parentId, roots), isNeeded));
      const family = new Map([...parents, ...breakouts].map((row) => [row.id, row]));
      if (!roomIds.every((roomId) => family.has(roomId))) throw noSuchRoom();
      concerned.push(...family.keys());
      return run(executor, family);
    };
    return within ? locked(within) : this.changing(concerned, locked);
  }

  /** The breakouts of a room that have not ended, oldest first. */
  async breakoutsOf(parentId: string): Promise<RoomRow[]> {
    return roomsWhere(this.db, and(eq(rooms.parentId, parentId), ne(rooms.status, 'ended'))).orderBy(
      asc(rooms.createdAt),
    );
  }

  /** The participants of the room with these ids. Ids of others are skipped. */
  async participants(executor: Executor, roomId: string, ids: string[]): Promise<MemberRow[]> {
    return membersWhere(executor, and(present(roomId), inArray(roomMembers.participantId, ids)));
  }

  /** The participants of a room, and those who were moved there and have not arrived. */
  async insideOrExpected(executor: Executor, roomId: string): Promise<MemberRow[]> {
    const isExpected = eq(roomMembers.movedTo, roomId);
    return membersWhere(
      executor,
      and(eq(roomMembers.roomId, roomId), or(eq(roomMembers.standing, 'present'), isExpected)),
    );
  }

  /** The number of participants in a room and its breakouts. */
  async countPresent(executor: Executor, roomId: string): Promise<number> {
    const [row] = await executor.select({ count: count() }).from(roomMembers).where(presentInFamily(roomId));
    return row?.count ?? 0;
  }

  /** The numbers of participants of these rooms themselves, by room. Empty rooms are left out. */
  async countPresentIn(roomIds: string[], executor: Executor = this.db): Promise<Map<string, number>> {
    if (roomIds.length === 0) return new Map();
    const rows = await executor
      .select({ roomId: roomMembers.roomId, count: count() })
      .from(roomMembers)
      .where(and(inArray(roomMembers.roomId, roomIds), eq(roomMembers.standing, 'present')))
      .groupBy(roomMembers.roomId);
    return new Map(rows.map((row) => [row.roomId, row.count]));
  }

  /** Where the guest with this token is: in the token's room, or in one that a host has moved the guest to. */
  async presentWith(tokenId: string): Promise<MemberRow[]> {
    return membersWhere(this.db, and(eq(roomMembers.tokenId, tokenId), eq(roomMembers.standing, 'present')));
  }

  /** Those of these wallets who are in the room or in one of its breakouts. */
  async insideFamily(executor: Executor, roomId: string, wallets: PartyId[]): Promise<PartyId[]> {
    if (wallets.length === 0) return [];
    const inside = await membersWhere(
      executor,
      and(presentInFamily(roomId), inArray(roomMembers.wallet, wallets)),
    );
    return inside.map(({ wallet }) => wallet);
  }

  /** The memberships of a wallet that is in these rooms. */
  async presentAs(executor: Executor, wallet: PartyId, roomIds: string[]): Promise<MemberRow[]> {
    const isThere = and(inArray(roomMembers.roomId, roomIds), eq(roomMembers.standing, 'present'));
    return membersWhere(executor, and(isThere, eq(roomMembers.wallet, wallet))).orderBy(
      asc(roomMembers.roomId),
    );
  }

  /** Hosts who are in the room, its parent or one of its breakouts. */
  async hostsOf(room: RoomRow, executor: Executor = this.db): Promise<MemberRow[]> {
    return membersWhere(executor, and(presentInFamily(rootOf(room)), eq(roomMembers.role, 'host')));
  }

  /** Changes the memberships of a wallet in the parent and in the breakouts of a room, unless it is there at the moment. */
  async changeInFamily(
    executor: Executor,
    room: RoomRow,
    wallet: PartyId,
    changes: Partial<MemberRow>,
  ): Promise<void> {
    await executor
      .update(roomMembers)
      .set({ ...changes, revision: nextRevision })
      .where(
        and(
          sql`${roomMembers.roomId} IN ${familyOf(rootOf(room))}`,
          ne(roomMembers.roomId, room.id),
          eq(roomMembers.wallet, wallet),
          eq(roomMembers.standing, 'away'),
        ),
      );
  }

  /** Lets these wallets in, which wait for admission. */
  async admitMembers(executor: Executor, roomId: string, wallets: PartyId[]): Promise<void> {
    await executor
      .update(roomMembers)
      .set({ isInvited: true, revision: nextRevision })
      .where(and(eq(roomMembers.roomId, roomId), inArray(roomMembers.wallet, wallets)));
  }

  /** Sends devices that were moved to a room, and have not noticed yet, on to another one. */
  async redirect(executor: Executor, wallets: PartyId[], from: string, to: string): Promise<void> {
    await executor
      .update(roomMembers)
      .set({ movedTo: to })
      .where(
        and(inArray(roomMembers.wallet, wallets), eq(roomMembers.movedTo, from), ne(roomMembers.roomId, to)),
      );
  }
}

/** The ids of a room and of its breakouts. */
const familyOf = (rootId: string) =>
  sql`(SELECT ${rootId}::text UNION ALL SELECT id FROM rooms WHERE parent_id = ${rootId})`;
const presentInFamily = (rootId: string) =>
  and(sql`${roomMembers.roomId} IN ${familyOf(rootId)}`, eq(roomMembers.standing, 'present'));
