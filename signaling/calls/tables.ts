import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { CallStatus, CallType } from '../../sdk/protocol/calls.ts';
import type { Address } from '../../sdk/protocol/common.ts';

export const calls = pgTable(
  'calls',
  {
    id: text().primaryKey(),
    caller: text().$type<Address>().notNull(),
    callee: text().$type<Address>().notNull(),
    type: text().$type<CallType>().notNull(),
    status: text().$type<CallStatus>().notNull(),
    startedAt: moment('started_at').notNull(),
    answeredAt: moment('answered_at'),
    endedAt: moment('ended_at'),
    endReason: text('end_reason'),
    /** Whether the callee had blocked the caller. If so, the callee never sees this call. */
    hidden: boolean().notNull().default(false),
    /** The connection of each party's device. */
    callerSocket: text('caller_socket'),
    calleeSocket: text('callee_socket'),
    /** The nodes of these connections. */
    callerNode: text('caller_node'),
    calleeNode: text('callee_node'),
    /** The wallet that is recording the call. Stays set if the call ends while it is being recorded. */
    recordedBy: text('recorded_by').$type<Address>(),
    /** The room that the call has become. */
    movedTo: text('moved_to'),
    /** Increases with every change of this row. */
    revision: integer().notNull().default(0),
  },
  (table) => [
    index('calls_caller_idx').on(table.caller, table.startedAt),
    index('calls_callee_idx').on(table.callee, table.startedAt),
    // For the lists of missed and of declined calls, which most calls are not.
    index('calls_caller_unanswered_idx')
      .on(table.caller, table.status, table.startedAt)
      .where(sql`status in ('missed', 'declined')`),
    index('calls_callee_unanswered_idx')
      .on(table.callee, table.status, table.startedAt)
      .where(sql`status in ('missed', 'declined')`),
    // Whether one wallet has called another one, and whether that one has answered (see ProfileStore).
    index('calls_shown_idx')
      .on(table.callee, table.caller)
      .where(sql`NOT hidden`),
    index('calls_answered_idx')
      .on(table.caller, table.callee)
      .where(sql`answered_at IS NOT NULL`),
    index('calls_ended_idx').on(table.endedAt),
    index('calls_caller_socket_idx')
      .on(table.callerSocket)
      .where(sql`status in ('ringing', 'active')`),
    index('calls_callee_socket_idx')
      .on(table.calleeSocket)
      .where(sql`status in ('ringing', 'active')`),
    index('calls_running_idx')
      .on(table.status)
      .where(sql`status in ('ringing', 'active')`),
  ],
);

/** The wallets that a wallet has blocked. */
export const blocks = pgTable(
  'blocks',
  {
    wallet: text().$type<Address>().notNull(),
    blocked: text().$type<Address>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.wallet, table.blocked] })],
);

export type CallRow = typeof calls.$inferSelect;
