import { boolean, index, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';
import type { Address } from '../../sdk/protocol/common.ts';
import type { PushTarget } from '../../sdk/protocol/notifications.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Devices that are reached while no app of theirs is open. */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: text().primaryKey(),
    wallet: text().$type<Address>().notNull(),
    /** With whose end it ends. */
    sessionId: text('session_id').notNull(),
    service: text().$type<PushTarget['service']>().notNull(),
    /** The endpoint or the token. */
    address: text().notNull(),
    /** Of Web Push: with whom it is encrypted for. */
    p256dh: text(),
    auth: text(),
    /** Of APNs. */
    mode: text().$type<'voip' | 'alert'>(),
    renewedAt: moment('renewed_at').notNull(),
  },
  (table) => [
    unique('push_subscriptions_device_idx').on(table.wallet, table.address),
    index('push_subscriptions_address_idx').on(table.address),
  ],
);

/** Without a row a wallet wants everything. */
export const notificationPreferences = pgTable('notification_preferences', {
  wallet: text().$type<Address>().primaryKey(),
  calls: boolean().notNull().default(true),
  messages: boolean().notNull().default(true),
  voicemails: boolean().notNull().default(true),
  conferenceInvites: boolean('conference_invites').notNull().default(true),
});

/**
 * Connections of wallets that have subscriptions, on all nodes: these are given a moment before a push goes out. A row too many
 * costs that moment, and no more.
 */
export const pushPresence = pgTable(
  'push_presence',
  {
    socketId: text('socket_id').primaryKey(),
    wallet: text().$type<Address>().notNull(),
    nodeId: text('node_id').notNull(),
  },
  (table) => [
    index('push_presence_wallet_idx').on(table.wallet),
    index('push_presence_node_idx').on(table.nodeId),
  ],
);

export type SubscriptionRow = typeof pushSubscriptions.$inferSelect;
