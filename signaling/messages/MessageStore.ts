import {
  and,
  asc,
  desc,
  eq,
  getTableName,
  gt,
  inArray,
  isNull,
  lt,
  ne,
  sql,
  Subquery,
  type SQL,
} from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { isGroup, type GroupId, type Recipient } from '../../sdk/protocol/group.ts';
import type { RequestOf } from '../../sdk/protocol/wire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { groupMembers } from '../groups/tables.ts';
import { conversationId } from './conversationId.ts';
import { conversationMembers, isMemberByHour, walletMessages, type MessageRow } from './tables.ts';

/** Up to which messages a wallet, or each of several, has received and read a conversation. */
export interface Marks {
  deliveredUntil: Date | null;
  readUntil: Date | null;
}

/** A message, and its receipts: those of the recipient. In a group: for the sender, the earliest of all members; for a member, its own. */
export interface MarkedMessage extends Marks {
  message: MessageRow;
  /** Whether the wallet can see the message. */
  isVisible: boolean;
}

export interface ConversationState {
  id: string;
  peer: Recipient;
  unreadCount: number;
  /** The newest message that this wallet can see. */
  last: MarkedMessage | null;
  /** For a group without messages: when this wallet's standing changed. */
  changedAt: Date | null;
}

const maxUnread = 10_000;

/** Whether a wallet can see a message. @param m the name of the table of messages in the query */
export const visibleTo = (wallet: Address, m = sql`wallet_messages`) => sql`(
  ${m}.sender = ${wallet} AND NOT ${m}.hidden_for_sender
  OR ${m}.recipient = ${wallet} AND NOT ${m}.hidden_for_recipient AND NOT ${m}.blocked
  OR ${m}.recipient LIKE 'grp\\_%' AND ${m}.sender <> ${wallet} AND NOT ${wallet} = ANY(${m}.hidden_for) AND EXISTS (
    SELECT FROM group_members g
    WHERE g.wallet = ${wallet} AND g.group_id = ${m}.recipient AND ${m}.sent_at <@ g.seen))`;

/** Whether a message was sent between the first entry and the last exit of a member, so that older and newer ones are not looked at. */
function isDuring(wallet: Address, group: GroupId): SQL {
  const bound = (which: 'lower' | 'upper') =>
    sql`(SELECT coalesce(${sql.raw(which)}(seen), 'infinity') FROM group_members WHERE wallet = ${wallet} AND group_id = ${group})`;
  return sql`${walletMessages.sentAt} BETWEEN ${bound('lower')} AND ${bound('upper')}`;
}

/** Whether a message is of this conversation and the wallet can see it. */
const visibleIn = (wallet: Address, peer: Recipient) =>
  and(
    eq(walletMessages.conversation, conversationId(wallet, peer)),
    isGroup(peer) ? isDuring(wallet, peer) : undefined,
    visibleTo(wallet),
  );

/** The receipts of a message for a wallet: see MarkedMessage. */
const receipt = (column: 'delivered_until' | 'read_until', wallet: Address) =>
  sql<Date | null>`(
  CASE WHEN wallet_messages.recipient LIKE 'grp\\_%' THEN (
    SELECT nullif(min(coalesce(c.${sql.raw(column)}, '-infinity')), '-infinity')
    FROM group_members g JOIN conversation_members c ON c.wallet = g.wallet AND c.conversation = g.group_id
    WHERE g.group_id = wallet_messages.recipient AND wallet_messages.sent_at <@ g.seen
      AND CASE WHEN wallet_messages.sender = ${wallet} THEN g.standing = 'member' AND g.wallet <> ${wallet}
        ELSE g.wallet = ${wallet} END
  ) ELSE conversation_members.${sql.raw(column)} END)`.mapWith(conversationMembers.readUntil);

/** A query that has the columns of `wallet_messages`, to select from in place of the table. */
const messagesOf = (query: SQL) =>
  new Subquery(query, {}, getTableName(walletMessages)) as unknown as typeof walletMessages;

/** Messages and conversations in the database. MessageWriter stores new messages. */
export class MessageStore {
  readonly #db: NodePgDatabase;

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  transaction<T>(run: (executor: Executor) => Promise<T>): Promise<T> {
    return this.#db.transaction(run);
  }

  /** Finds messages by id, in any order, also those that the wallet cannot see. */
  async find(ids: string[], wallet: Address): Promise<MarkedMessage[]> {
    return this.#select(wallet).where(inArray(walletMessages.id, ids));
  }

  /**
   * The first ones of these messages that the wallet can see and that are not deleted, in their order.
   * @param ids from the newest message to the oldest
   * @param peer only messages of the conversation with this wallet or group
   */
  async findVisible(
    wallet: Address,
    ids: string[],
    { peer, limit }: { peer: Recipient | undefined; limit: number },
  ): Promise<MarkedMessage[]> {
    const found: MarkedMessage[] = [];
    // Looked up together, because messages of about the same time are on the same pages, of the index and of the table.
    for (let from = 0, count = limit; from < ids.length && found.length < limit; from += count, count *= 4) {
      const visible = sql`
        SELECT * FROM wallet_messages m
        WHERE m.id = ANY(${sql.param(ids.slice(from, from + count))}::text[]) AND m.deleted_at IS NULL AND ${visibleTo(wallet, sql`m`)}
          AND ${peer ? sql`m.conversation = ${conversationId(wallet, peer)}` : sql`true`}
        ORDER BY m.sent_at DESC, m.id DESC LIMIT ${limit - found.length}`;
      const more = await this.#select(wallet, peer, messagesOf(visible)).orderBy(
        desc(walletMessages.sentAt),
        desc(walletMessages.id),
      );
      found.push(...more);
    }
    return found;
  }

  /** Who could ever see a message, and so learns of its changes: its two wallets, or those who were members of the group at the time. */
  async audience(
    { sender, recipient, blocked, sentAt }: MessageRow,
    executor: Executor = this.#db,
  ): Promise<Address[]> {
    if (!isGroup(recipient)) return blocked ? [sender] : [sender, recipient];
    const rows = await executor
      .select({ wallet: groupMembers.wallet })
      .from(groupMembers)
      .where(
        and(eq(groupMembers.groupId, recipient), sql`${toIso(sentAt)}::timestamptz <@ ${groupMembers.seen}`),
      );
    return rows.map(({ wallet }) => wallet);
  }

  /** The times up to which all other members of groups have received and read the messages of a wallet. */
  async marksOfOthers(wallet: Address, ids: GroupId[]): Promise<Map<GroupId, Marks>> {
    if (ids.length === 0) return new Map();
    const earliest = (column: PgColumn) =>
      sql<Date | null>`nullif(min(coalesce(${column}, '-infinity')), '-infinity')`.mapWith(
        conversationMembers.readUntil,
      );
    const rows = await this.#db
      .select({
        id: groupMembers.groupId,
        deliveredUntil: earliest(conversationMembers.deliveredUntil),
        readUntil: earliest(conversationMembers.readUntil),
      })
      .from(groupMembers)
      .innerJoin(
        conversationMembers,
        and(
          eq(conversationMembers.wallet, groupMembers.wallet),
          eq(conversationMembers.conversation, groupMembers.groupId),
        ),
      )
      .where(
        and(
          inArray(groupMembers.groupId, ids),
          eq(groupMembers.standing, 'member'),
          ne(groupMembers.wallet, wallet),
        ),
      )
      .groupBy(groupMembers.groupId);
    return new Map(rows.map(({ id, ...marks }) => [id, marks]));
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
    return this.#select(wallet, peer)
      .where(and(visibleIn(wallet, peer), before ? lt(walletMessages.sentAt, new Date(before)) : undefined))
      .orderBy(desc(walletMessages.sentAt))
      .limit(limit)
      .offset(offset);
  }

  /** The oldest messages after a time, newest first. */
  async pageAfter(
    wallet: Address,
    { with: peer, limit, after }: { with: Recipient; limit: number; after: Date },
  ): Promise<MarkedMessage[]> {
    const oldestFirst = await this.#select(wallet, peer)
      .where(and(visibleIn(wallet, peer), gt(walletMessages.sentAt, after)))
      .orderBy(asc(walletMessages.sentAt))
      .limit(limit);
    return oldestFirst.reverse();
  }

  /**
   * Conversations with messages that this wallet can see, and groups of which it is a member or to which it is invited, latest first; or only
   * the one with this wallet or group.
   */
  async conversations(
    wallet: Address,
    { limit, offset, peer }: { limit: number; offset: number; peer?: Recipient },
  ): Promise<ConversationState[]> {
    // Conversations are looked at hour by hour. Some of the latest ones may be empty for this wallet, or their last message may be older than
    // their hour, because it has deleted the newer ones.
    for (let count = offset + limit; !peer; count *= 4) {
      const since = await this.#activeSince(wallet, count);
      if (since === null) break;
      const { states, lastAt } = await this.#conversationsSince(wallet, since, { limit, offset });
      if (states.length === limit && lastAt !== null && lastAt >= since) return states;
    }
    return (await this.#conversationsSince(wallet, null, { limit, offset, peer })).states;
  }

  /** The hour in which the wallet's conversation number `count` was last active. Null if it has no more than that. */
  async #activeSince(wallet: Address, count: number): Promise<Date | null> {
    const [row] = await this.#db
      .select({ at: conversationMembers.activeAt })
      .from(conversationMembers)
      .where(isMemberByHour(wallet))
      .orderBy(desc(conversationMembers.activeAt))
      .offset(count)
      .limit(1);
    return row?.at ?? null;
  }

  /** @param since only conversations that were active in this hour or later; null for all */
  async #conversationsSince(
    wallet: Address,
    since: Date | null,
    { limit, offset, peer }: { limit: number; offset: number; peer?: Recipient | undefined },
  ): Promise<{ states: ConversationState[]; lastAt: Date | null }> {
    const seen = visibleTo(wallet, sql`m`);
    // Each row has the columns of the last message, so that it is not looked up again.
    const page = sql`
      SELECT page.*, unread.count AS unread FROM (
        SELECT last.*, c.conversation AS in_conversation, c.peer, c.delivered_until, c.read_until, g.changed_at, span.*,
          CASE WHEN span.is_invited THEN g.changed_at ELSE coalesce(last.sent_at, g.changed_at) END AS at
        FROM conversation_members c
        LEFT JOIN group_members g ON g.wallet = c.wallet AND g.group_id = c.conversation
        -- The messages of a group from before the wallet entered and after it left are not looked at.
        CROSS JOIN LATERAL (
          SELECT CASE WHEN g.seen IS NULL THEN '-infinity' ELSE coalesce(lower(g.seen), 'infinity') END AS first,
            coalesce(upper(g.seen), 'infinity') AS until,
            g.standing = 'invited' AND NOT EXISTS (
              SELECT FROM blocks b WHERE b.wallet = g.wallet AND b.blocked = g.invited_by) AS is_invited
        ) span
        LEFT JOIN LATERAL (
          SELECT * FROM wallet_messages m
          WHERE m.conversation = c.conversation AND m.sent_at BETWEEN span.first AND span.until AND ${seen}
          ORDER BY m.sent_at DESC LIMIT 1
        ) last ON true
        WHERE ${
          since
            ? sql`${isMemberByHour(wallet, sql`c`)} AND c.active_at >= ${toIso(since)}::timestamptz`
            : sql`c.wallet = ${wallet}`
        } ${peer ? sql`AND c.conversation = ${conversationId(wallet, peer)}` : sql``}
          AND (last.id IS NOT NULL OR g.standing = 'member' OR span.is_invited)
        ORDER BY at DESC, c.conversation LIMIT ${limit} OFFSET ${offset}
      ) page
      CROSS JOIN LATERAL (
        SELECT count(*) FROM (
          SELECT FROM wallet_messages m WHERE m.conversation = page.in_conversation AND m.sender <> ${wallet}
            AND m.sent_at > coalesce(page.read_until, '-infinity') AND m.sent_at BETWEEN page.first AND page.until
            -- If the last message is read, no other is looked at.
            AND page.sent_at > coalesce(page.read_until, '-infinity') AND m.deleted_at IS NULL AND ${seen}
          LIMIT ${maxUnread}) capped
      ) unread`;
    // The wallet's own receipts are already in the row: only those of the other wallet are looked up.
    const other = and(
      eq(conversationMembers.wallet, sql`nullif(${walletMessages.recipient}, ${wallet})`),
      eq(conversationMembers.conversation, walletMessages.conversation),
    );
    const until = (column: 'delivered_until' | 'read_until') =>
      sql<Date | null>`CASE WHEN ${walletMessages.recipient} = ${wallet} THEN wallet_messages.${sql.raw(column)}
        ELSE ${receipt(column, wallet)} END`.mapWith(conversationMembers.readUntil);
    const rows = await this.#db
      .select({
        lastId: sql<string | null>`wallet_messages.id`,
        message: walletMessages,
        isVisible: sql<boolean>`true`,
        deliveredUntil: until('delivered_until'),
        readUntil: until('read_until'),
        id: sql<string>`wallet_messages.in_conversation`,
        peer: sql<Recipient>`wallet_messages.peer`,
        changedAt: sql<Date | null>`wallet_messages.changed_at`.mapWith(conversationMembers.readUntil),
        at: sql<Date>`wallet_messages.at`.mapWith(conversationMembers.readUntil),
        unreadCount: sql<number>`wallet_messages.unread`.mapWith(Number),
      })
      .from(messagesOf(page))
      .leftJoin(conversationMembers, other)
      .orderBy(desc(sql`wallet_messages.at`), sql`wallet_messages.in_conversation`);
    const states = rows.map((row) => ({ ...row, last: row.lastId === null ? null : row }));
    return { states, lastAt: rows.at(-1)?.at ?? null };
  }

  /**
   * @param peer the other wallet or the group, if all messages are of one conversation
   * @param source where the messages are read from
   */
  #select(wallet: Address, peer?: Recipient, source = walletMessages) {
    const recipient = and(
      eq(conversationMembers.wallet, walletMessages.recipient),
      eq(conversationMembers.conversation, walletMessages.conversation),
      // With these, PostgreSQL reads the two rows of a conversation once, and not one of them for each message.
      peer && eq(conversationMembers.conversation, conversationId(wallet, peer)),
      peer && inArray(conversationMembers.wallet, [wallet, peer as Address]),
    );
    return this.#db
      .select({
        message: walletMessages,
        isVisible: visibleTo(wallet) as SQL<boolean>,
        deliveredUntil: receipt('delivered_until', wallet),
        readUntil: receipt('read_until', wallet),
      })
      .from(source)
      .leftJoin(conversationMembers, recipient)
      .$dynamic();
  }
}

/** Whether the wallet has deleted the message for itself. */
export function isHidden(row: MessageRow, wallet: Address): boolean {
  if (row.sender === wallet) return row.hiddenForSender;
  return row.recipient === wallet ? row.hiddenForRecipient : row.hiddenFor.includes(wallet);
}

/** Whether a wallet may read a file without a signed URL, because it is a party of the file's message and has not hidden the message. */
export async function isMessageOf(db: NodePgDatabase, fileId: string, wallet: Address): Promise<boolean> {
  const [row] = await db
    .select({ id: walletMessages.id })
    .from(walletMessages)
    .where(and(eq(walletMessages.mediaId, fileId), isNull(walletMessages.deletedAt), visibleTo(wallet)));
  return row !== undefined;
}
