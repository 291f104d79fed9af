import { and, asc, desc, eq, gt, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Address } from '../../sdk/protocol/common.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { conversationId } from './conversationId.ts';
import { conversationMembers, walletMessages, type MessageRow } from './tables.ts';

/** A message, and its recipient's receipts. */
export interface MarkedMessage {
  message: MessageRow;
  deliveredUntil: Date | null;
  readUntil: Date | null;
}

export interface ConversationState {
  id: string;
  peer: Address;
  unreadCount: number;
  /** The newest message that this wallet can see. */
  lastId: string | null;
}

const maxUnread = 10_000;

export const visibleTo = (wallet: Address) =>
  or(
    and(eq(walletMessages.sender, wallet), eq(walletMessages.hiddenForSender, false)),
    and(
      eq(walletMessages.recipient, wallet),
      eq(walletMessages.hiddenForRecipient, false),
      eq(walletMessages.blocked, false),
    ),
  );

/** Messages and conversations in the database. MessageWriter stores new messages. */
export class MessageStore {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  transaction<T>(run: (executor: Executor) => Promise<T>): Promise<T> {
    return this.#db.transaction(run);
  }

  /** Finds messages by id, in any order. Does not check whether a wallet can see them. */
  async find(ids: string[]): Promise<MarkedMessage[]> {
    return this.#select().where(inArray(walletMessages.id, ids));
  }

  /** Locks the message until the transaction ends. */
  async lock(executor: Executor, id: string): Promise<MessageRow | null> {
    const [row] = await executor.select().from(walletMessages).where(eq(walletMessages.id, id)).for('update');
    return row ?? null;
  }

  async change(executor: Executor, id: string, changes: Partial<MessageRow>): Promise<void> {
    await executor.update(walletMessages).set(changes).where(eq(walletMessages.id, id));
  }

  /** Newest first. */
  async page(
    wallet: Address,
    { with: peer, limit, offset, before }: RequestOf<'messages.getMessages'>,
  ): Promise<MarkedMessage[]> {
    const own = eq(walletMessages.conversation, conversationId(wallet, peer));
    return this.#select()
      .where(and(own, visibleTo(wallet), before ? lt(walletMessages.sentAt, new Date(before)) : undefined))
      .orderBy(desc(walletMessages.sentAt))
      .limit(limit)
      .offset(offset);
  }

  /** The oldest messages after a time, newest first. */
  async pageAfter(
    wallet: Address,
    { with: peer, limit, after }: { with: Address; limit: number; after: Date },
  ): Promise<MarkedMessage[]> {
    const own = eq(walletMessages.conversation, conversationId(wallet, peer));
    const oldestFirst = await this.#select()
      .where(and(own, visibleTo(wallet), gt(walletMessages.sentAt, after)))
      .orderBy(asc(walletMessages.sentAt))
      .limit(limit);
    return oldestFirst.reverse();
  }

  /** Conversations with messages this wallet can see, latest first; or only the one with this peer. */
  async conversations(
    wallet: Address,
    { limit, offset, peer }: { limit: number; offset: number; peer?: Address },
  ): Promise<ConversationState[]> {
    const seen = sql`(m.sender = ${wallet} AND NOT m.hidden_for_sender
      OR m.recipient = ${wallet} AND NOT m.hidden_for_recipient AND NOT m.blocked)`;
    const { rows } = await this.#db.execute<{
      id: string;
      peer: Address;
      last_id: string;
      unread: string;
    }>(sql`
      SELECT page.id, page.peer, page.last_id, unread.count AS unread
      FROM (
        SELECT c.conversation AS id, c.peer, c.read_until, last.id AS last_id, last.sent_at
        FROM conversation_members c
        CROSS JOIN LATERAL (
          SELECT m.id, m.sent_at FROM wallet_messages m WHERE m.conversation = c.conversation AND ${seen}
          ORDER BY m.sent_at DESC LIMIT 1
        ) last
        WHERE c.wallet = ${wallet} ${peer ? sql`AND c.conversation = ${conversationId(wallet, peer)}` : sql``}
        ORDER BY last.sent_at DESC, c.conversation LIMIT ${limit} OFFSET ${offset}
      ) page
      CROSS JOIN LATERAL (
        SELECT count(*) FROM (
          SELECT FROM wallet_messages m WHERE m.conversation = page.id AND m.recipient = ${wallet}
            AND m.sent_at > coalesce(page.read_until, '-infinity') AND m.deleted_at IS NULL AND ${seen}
          LIMIT ${maxUnread}) capped
      ) unread
      ORDER BY page.sent_at DESC, page.id`);
    return rows.map((row) => ({
      id: row.id,
      peer: row.peer,
      lastId: row.last_id,
      unreadCount: Number(row.unread),
    }));
  }

  #select() {
    const recipient = and(
      eq(conversationMembers.wallet, walletMessages.recipient),
      eq(conversationMembers.conversation, walletMessages.conversation),
    );
    return this.#db
      .select({
        message: walletMessages,
        deliveredUntil: conversationMembers.deliveredUntil,
        readUntil: conversationMembers.readUntil,
      })
      .from(walletMessages)
      .leftJoin(conversationMembers, recipient)
      .$dynamic();
  }
}

export function isVisible(row: MessageRow, wallet: Address): boolean {
  if (row.sender === wallet) return !row.hiddenForSender;
  return row.recipient === wallet && !row.hiddenForRecipient && !row.blocked;
}

/** Whether a wallet may read a file without a signed URL, because it is a party of the file's message and has not hidden the message. */
export async function isMessageOf(db: NodePgDatabase, fileId: string, wallet: Address): Promise<boolean> {
  const [row] = await db
    .select({ id: walletMessages.id })
    .from(walletMessages)
    .where(and(eq(walletMessages.mediaId, fileId), isNull(walletMessages.deletedAt), visibleTo(wallet)));
  return row !== undefined;
}
