import { and, desc, eq, isNotNull, notLike, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { after, type PlacedPage } from '../../platform/database/places.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { isGuest, walletOf, type PartyId } from '../../sdk/protocol/party.ts';
import { roomMembers, rooms, type MemberRow, type RoomRow } from './tables.ts';

/* Who was in a room, and the rooms that have ended, in the database. */

/** A room that has ended, with the membership of a wallet that was in it or hosted it. */
export interface PastRoomRow {
  room: RoomRow;
  member: MemberRow;
}

/** For an update that ends memberships: the time is kept of those who are in the room, not of those who wait. */
export const leavingAt = (at: Date) => ({
  leftAt: sql`CASE WHEN ${roomMembers.standing} = 'present' THEN ${at.toISOString()}::timestamptz ELSE ${roomMembers.leftAt} END`,
});

/**
 * Adds a room that ends to the past rooms of its host and of the wallets that were in it. A breakout is part of its parent, and is not listed.
 * Call after the memberships have ended.
 */
export async function keepAsPast(executor: Executor, room: RoomRow, pastAt: Date): Promise<void> {
  if (room.parentId) return;
  const wasInside = and(
    eq(roomMembers.roomId, room.id),
    isNotNull(roomMembers.firstJoinedAt),
    notLike(roomMembers.wallet, 'guest:%'),
  );
  await executor.update(roomMembers).set({ pastAt }).where(wasInside);
  const host = walletOf(room.host);
  if (!host) return;
  await executor
    .insert(roomMembers)
    .values({ roomId: room.id, wallet: host, standing: 'away', changedAt: pastAt, pastAt })
    .onConflictDoUpdate({ target: [roomMembers.roomId, roomMembers.wallet], set: { pastAt } });
}

/** The past rooms of a wallet, the latest end first. */
export async function pastRoomsOf(
  executor: Executor,
  wallet: Address,
  { limit, before }: PlacedPage,
): Promise<PastRoomRow[]> {
  return executor
    .select({ room: rooms, member: roomMembers })
    .from(roomMembers)
    .innerJoin(rooms, eq(rooms.id, roomMembers.roomId))
    .where(
      and(
        eq(roomMembers.wallet, wallet),
        isNotNull(roomMembers.pastAt),
        after(before, roomMembers.pastAt, roomMembers.roomId),
      ),
    )
    .orderBy(desc(roomMembers.pastAt), desc(roomMembers.roomId))
    .limit(limit);
}

/**
 * Until when a party may read the chat of a room.
 * @returns a time; `all` if it may read all messages, `none` if it may read none
 */
export function readableUntil(
  room: RoomRow,
  wallet: PartyId,
  member: MemberRow | null,
): Date | 'all' | 'none' {
  if (member?.standing === 'present') return 'all';
  // A guest is gone with its room.
  if (room.status !== 'ended' || isGuest(wallet)) return 'none';
  if (wallet === room.host) return 'all';
  if (!member?.firstJoinedAt) return 'none';
  // Only a wallet that passes the gate may read what is said there.
  const isPartly = member.standing === 'removed' || room.gate !== null;
  return isPartly ? (member.leftAt ?? 'none') : 'all';
}
