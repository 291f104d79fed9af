import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { ParticipantRole, RoomStatus, WireRoomSettings } from '../../sdk/protocol/conference.ts';
import type { GateConfig } from '../../sdk/protocol/gates.ts';
import type { Source } from '../../sdk/protocol/media.ts';
import type { Grants } from '../../sdk/protocol/guests.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { Network } from '../../sdk/protocol/session.ts';
import { chatTable } from '../chat/chatTable.ts';
import type { Standing } from './admission.ts';

export const rooms = pgTable(
  'rooms',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    host: text().$type<PartyId>().notNull(),
    maxParticipants: integer('max_participants').notNull(),
    video: boolean().notNull(),
    audio: boolean().notNull(),
    settings: jsonb().$type<WireRoomSettings>().notNull(),
    status: text().$type<RoomStatus>().notNull(),
    createdAt: moment('created_at').notNull(),
    startedAt: moment('started_at'),
    endedAt: moment('ended_at'),
    endReason: text('end_reason'),
    /** The network of the session that created the room. The chains of the gate belong to it. */
    network: text().$type<Network>().notNull(),
    gate: jsonb().$type<GateConfig>(),
    /** The wallet that is recording the room. Stays set if the room ends while it is being recorded. */
    recordedBy: text('recorded_by').$type<PartyId>(),
    /** The room that this one is a breakout of. */
    parentId: text('parent_id'),
    /** When the breakouts of this room end, and everybody in them comes back; null if no time is set. */
    breakoutsEndAt: moment('breakouts_end_at'),
    /** When the room is to start; null if it is not scheduled. Until then it stays open without anybody in it. */
    startsAt: moment('starts_at'),
    /** When this row, or what a participant may do, last changed; null if never. */
    changedAt: moment('changed_at'),
  },
  (table) => [
    index('rooms_host_idx').on(table.host, table.createdAt),
    index('rooms_open_idx')
      .on(table.host, table.createdAt)
      .where(sql`status <> 'ended'`),
    index('rooms_ended_idx').on(table.endedAt),
    index('rooms_changed_idx').on(table.changedAt),
    index('rooms_parent_idx')
      .on(table.parentId)
      .where(sql`parent_id IS NOT NULL`),
  ],
);

/** Memberships of parties: `wallet` is a wallet or a guest. The participants are those with standing `present`. */
export const roomMembers = pgTable(
  'room_members',
  {
    roomId: text('room_id')
      .notNull()
      .references(() => rooms.id, { onDelete: 'cascade' }),
    wallet: text().$type<PartyId>().notNull(),
    standing: text().$type<Standing>().notNull(),
    /** When the standing last changed. */
    changedAt: moment('changed_at').notNull(),
    /** Whether the wallet may enter despite a lock and without waiting. */
    isInvited: boolean('is_invited').notNull().default(false),
    role: text().$type<ParticipantRole>().notNull().default('participant'),
    /** Set only while the wallet is in the room. */
    participantId: text('participant_id'),
    displayName: text('display_name'),
    joinedAt: moment('joined_at'),
    /** When the party entered the room for the first time, and when it last left it. Unlike `joinedAt`, these are kept. */
    firstJoinedAt: moment('first_joined_at'),
    leftAt: moment('left_at'),
    /** When the room ended. Set only for wallets that have it among their past rooms. */
    pastAt: moment('past_at'),
    /** The connection of the wallet's device, and the node of that connection. */
    socket: text(),
    node: text(),
    /** Whether the participant's microphone is muted. */
    muted: boolean().notNull().default(false),
    /** Whether a host has muted the participant. Screen audio is then muted too, until the participant unmutes. */
    hushed: boolean().notNull().default(false),
    handRaised: boolean('hand_raised').notNull().default(false),
    /** The sources that the participant is sending. */
    sending: jsonb().$type<Source[]>().notNull().default([]),
    /** Increases with every change of this row, so that devices can put the events about a participant in order. */
    revision: integer().notNull().default(0),
    /** When the gate last admitted the wallet. */
    gateCheckedAt: moment('gate_checked_at'),
    /** What a guest may do; null for a wallet, which may do everything that its role allows. */
    grants: jsonb().$type<Grants>(),
    /** The metadata of a guest, as its backend wrote it. */
    metadata: text(),
    /** The participant token of a guest. */
    tokenId: text('token_id'),
    /**
     * The room that a host has moved the party to; null if the party has come back since. If it is this room, the party was moved here and
     * its device has not arrived yet.
     */
    movedTo: text('moved_to'),
  },
  (table) => [
    primaryKey({ columns: [table.roomId, table.wallet] }),
    index('room_members_wallet_idx').on(table.wallet),
    index('room_members_past_idx')
      .on(table.wallet, table.pastAt, table.roomId)
      .where(sql`past_at IS NOT NULL`),
    // For the list of a wallet's rooms. A wallet keeps its row of each room that it was in.
    index('room_members_welcome_idx')
      .on(table.wallet)
      .where(sql`standing = 'present' OR is_invited AND standing <> 'removed'`),
    index('room_members_socket_idx').on(table.socket),
    index('room_members_node_idx').on(table.node),
    index('room_members_token_idx')
      .on(table.tokenId)
      .where(sql`token_id IS NOT NULL`),
    index('room_members_changed_idx').on(table.changedAt),
    index('room_members_present_idx')
      .on(table.roomId)
      .where(sql`standing = 'present'`),
    index('room_members_waiting_idx')
      .on(table.roomId)
      .where(sql`standing = 'waiting'`),
  ],
);

export const roomChat = chatTable('room_chat', 'room', () => rooms.id);

export type RoomRow = typeof rooms.$inferSelect;
export type MemberRow = typeof roomMembers.$inferSelect;
