import { sql } from 'drizzle-orm';
import { boolean, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import type { CallStatus, CallType } from '../../sdk/protocol/calls.ts';
import type { Address } from '../../sdk/protocol/common.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

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
    /** The callee has blocked the caller: for the callee this call never was. */
    hidden: boolean().notNull().default(false),
    /** The connection of the device each party takes part with. */
    callerSocket: text('caller_socket'),
    calleeSocket: text('callee_socket'),
    /** The node that connection is to. */
    callerNode: text('caller_node'),
    calleeNode: text('callee_node'),
    /** Who records it; of a call that is over, who did so at its end. */
    recordedBy: text('recorded_by').$type<Address>(),
  },
  (table) => [
    index('calls_caller_idx').on(table.caller, table.startedAt),
    index('calls_callee_idx').on(table.callee, table.startedAt),
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

/** Whose calls a wallet does not want. */
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
