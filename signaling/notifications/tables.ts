import { boolean, index, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import type { PushTarget } from '../../sdk/protocol/notifications.ts';

/** Devices that can get pushes while their app is not open. */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: text().primaryKey(),
    wallet: text().$type<Address>().notNull(),
    /** The subscription ends with this session. */
    sessionId: text('session_id').notNull(),
    service: text().$type<PushTarget['service']>().notNull(),
    /** The endpoint or the token. */
    address: text().notNull(),
    /** The device's Web Push encryption key. */
    p256dh: text(),
    auth: text(),
    /** Only for APNs. */
    mode: text().$type<'voip' | 'alert'>(),
    renewedAt: moment('renewed_at').notNull(),
  },
  (table) => [
    unique('push_subscriptions_device_idx').on(table.wallet, table.address),
    index('push_subscriptions_address_idx').on(table.address),
  ],
);

/** A wallet without a row wants every push. */
export const notificationPreferences = pgTable('notification_preferences', {
  wallet: text().$type<Address>().primaryKey(),
  calls: boolean().notNull().default(true),
  messages: boolean().notNull().default(true),
  voicemails: boolean().notNull().default(true),
  conferenceInvites: boolean('conference_invites').notNull().default(true),
});

/**
 * Connections of wallets with subscriptions, on all nodes. Before a push is sent, connected devices have a moment to show the event
 * themselves. A stale row only costs that moment.
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
