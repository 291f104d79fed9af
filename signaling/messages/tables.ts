import { sql, type SQL } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { moment } from '../../platform/database/columns.ts';
import type { Address, IsoDate } from '../../sdk/protocol/common.ts';
import type { Recipient } from '../../sdk/protocol/group.ts';
import type { MessageType } from '../../sdk/protocol/messages.ts';

/** Conversations of two wallets, and groups. Storing a message locks its conversation's row until the commit, which puts messages in order. */
export const conversations = pgTable('conversations', {
  id: text().primaryKey(),
  /** The number of messages ever stored. */
  messages: bigint({ mode: 'number' }).notNull(),
  /** The last message's time. The next message is at least a millisecond later. */
  latestAt: moment('latest_at').notNull(),
  /** `latestAt` before the last message was stored. Null if there was none. */
  previousAt: moment('previous_at'),
  /**
   * Whether the wallet whose address sorts first (by its bytes) has ever written a message that the other one got, even if the message was
   * removed since. False for groups, and after one of the wallets was erased.
   */
  firstWrote: boolean('first_wrote').notNull().default(false),
  /** The same of the wallet that sorts second. */
  secondWrote: boolean('second_wrote').notNull().default(false),
});

/** Whether a wallet has written to another one, which got the message. Both are SQL, and so is the id of their conversation. */
export const hasWritten = (wallet: SQL, other: SQL, conversation: SQL) => sql`EXISTS (
    SELECT FROM conversations c
    WHERE c.id = ${conversation} AND CASE WHEN ${wallet} < ${other} COLLATE "C" THEN c.first_wrote ELSE c.second_wrote END)`;

/** A conversation as one of its wallets sees it. */
export const conversationMembers = pgTable(
  'conversation_members',
  {
    wallet: text().$type<Address>().notNull(),
    conversation: text().notNull(),
    /** The other wallet, or the group. */
    peer: text().$type<Recipient>().notNull(),
    /**
     * The start of the hour of the latest message, or of a later change of the wallet's standing in the group. By it the latest conversations
     * are found. It changes once an hour, so that storing a message seldom has to write here.
     */
    activeAt: moment('active_at')
      .notNull()
      .default(sql`date_trunc('hour', now(), 'UTC')`),
    /** A device of this wallet has all messages to it up to this time. */
    deliveredUntil: moment('delivered_until'),
    /** The wallet has read all messages to it up to this time. */
    readUntil: moment('read_until'),
    /** The wallet's messages up to this time are in `message_words`. Null until the wallet searches for the first time. */
    indexedUntil: moment('indexed_until'),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.conversation] }),
    // For an erasure and the removal of old messages, which know the conversation.
    index('conversation_members_conversation_idx').on(table.conversation),
    // By an expression, so that PostgreSQL uses it only where isMemberByHour() stands. Where one conversation of a wallet is looked up, it
    // could otherwise choose this index too, and read all conversations of the wallet.
    index('conversation_members_active_idx').on(sql`lower(${table.wallet})`, table.activeAt),
  ],
);

/** Whether a row of `conversation_members` is the wallet's, for lists in the order of `active_at`. @param c the name of the table in the query */
export const isMemberByHour = (wallet: Address, c = sql`conversation_members`) =>
  sql`lower(${c}.wallet) = lower(${wallet})`;

/** The wallets that have searched. */
export const searchStates = pgTable('search_states', {
  wallet: text().$type<Address>().primaryKey(),
  /** When all messages of the wallet were indexed. */
  completeAt: moment('complete_at').notNull(),
});

/** A stored reaction. */
export interface StoredReaction {
  emoji: string;
  from: Address;
  at: IsoDate;
  /** Whether the other wallet has blocked the reaction's author. Then only the author sees the reaction. */
  hidden?: boolean;
}

/** What a sender sees whose edit the recipient must not see, because the recipient has blocked them. */
export interface UnseenEdit {
  content: string;
  at: IsoDate;
}

export const walletMessages = pgTable(
  'wallet_messages',
  {
    /** Created by the sender's client. */
    id: text().primaryKey(),
    conversation: text().notNull(),
    sender: text().$type<Address>().notNull(),
    recipient: text().$type<Recipient>().notNull(),
    type: text().$type<MessageType>().notNull(),
    content: text().notNull(),
    mediaId: text('media_id'),
    /** Increases with every message of the conversation. */
    sentAt: moment('sent_at').notNull(),
    /** Whether the recipient had blocked the sender. If so, the recipient never sees this message. */
    blocked: boolean().notNull().default(false),
    hiddenForSender: boolean('hidden_for_sender').notNull().default(false),
    hiddenForRecipient: boolean('hidden_for_recipient').notNull().default(false),
    /** The members of the group that have deleted the message for themselves, except its sender. */
    hiddenFor: text('hidden_for')
      .$type<Address>()
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** When the message was deleted for everyone. Then only the row is left, without content. */
    deletedAt: moment('deleted_at'),
    reactions: jsonb().$type<StoredReaction[]>().notNull().default([]),
    /** The message of the same conversation that this one replies to. */
    replyTo: text('reply_to'),
    editedAt: moment('edited_at'),
    unseenEdit: jsonb('unseen_edit').$type<UnseenEdit>(),
  },
  (table) => [
    uniqueIndex('wallet_messages_conversation_idx').on(table.conversation, table.sentAt),
    index('wallet_messages_media_idx')
      .on(table.mediaId)
      .where(sql`media_id is not null`),
    // Rows arrive in order of time, so this index has few pages and inserts stay cheap.
    index('wallet_messages_sent_idx').using('brin', table.sentAt),
  ],
);

const wordVector = customType<{ data: string }>({ dataType: () => 'tsvector' });

/**
 * The words of the messages that a wallet can see, for its search. Only wallets that search have rows, and they get them when they search:
 * see SearchIndex.
 */
export const messageWords = pgTable(
  'message_words',
  {
    wallet: text().$type<Address>().notNull(),
    sentAt: moment('sent_at').notNull(),
    message: text().notNull(),
    /** Each word has the prefix of its wallet and month: see words.ts. */
    words: wordVector().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.sentAt, table.message] }),
    // Rows are added in batches, so a list of pending entries would only slow the searches down.
    index('message_words_idx').using('gin', table.words).with({ fastupdate: false }),
  ],
);

export type MessageRow = typeof walletMessages.$inferSelect;
