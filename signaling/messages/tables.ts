import {
  bigint,
  boolean,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Address, IsoDate } from '../../sdk/protocol/common.ts';
import type { MessageType } from '../../sdk/protocol/messages.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Two wallets that write to each other. Whoever stores a message holds this row until it commits: that is the order. */
export const conversations = pgTable('conversations', {
  id: text().primaryKey(),
  /** How many there ever were. */
  messages: bigint({ mode: 'number' }).notNull(),
  /** The last message's time; the next one's is at least a millisecond later. */
  latestAt: moment('latest_at').notNull(),
});

/** A conversation as one of its two sees it. */
export const conversationMembers = pgTable(
  'conversation_members',
  {
    wallet: text().$type<Address>().notNull(),
    conversation: text().notNull(),
    peer: text().$type<Address>().notNull(),
    /** A device of this wallet has all messages to it up to this time … */
    deliveredUntil: moment('delivered_until'),
    /** … and the wallet has read those up to this. */
    readUntil: moment('read_until'),
  },
  (table) => [primaryKey({ columns: [table.wallet, table.conversation] })],
);

/** A reaction as it is stored. */
export interface StoredReaction {
  emoji: string;
  from: Address;
  at: IsoDate;
  /** The other has blocked whoever reacted, who alone sees it. */
  hidden?: boolean;
}

export const walletMessages = pgTable(
  'wallet_messages',
  {
    /** Made by the sender's client. */
    id: text().primaryKey(),
    conversation: text().notNull(),
    sender: text().$type<Address>().notNull(),
    recipient: text().$type<Address>().notNull(),
    type: text().$type<MessageType>().notNull(),
    content: text().notNull(),
    mediaId: text('media_id'),
    /** Rises with every message of the conversation. */
    sentAt: moment('sent_at').notNull(),
    /** The recipient had blocked the sender: for the recipient this message never was. */
    blocked: boolean().notNull().default(false),
    hiddenForSender: boolean('hidden_for_sender').notNull().default(false),
    hiddenForRecipient: boolean('hidden_for_recipient').notNull().default(false),
    /** For everyone: nothing but the fact is left. */
    deletedAt: moment('deleted_at'),
    reactions: jsonb().$type<StoredReaction[]>().notNull().default([]),
  },
  (table) => [uniqueIndex('wallet_messages_conversation_idx').on(table.conversation, table.sentAt)],
);

export type MessageRow = typeof walletMessages.$inferSelect;
