import { and, eq, gte, inArray, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Executor } from '../../platform/database/Executor.ts';
import { Slots } from '../../platform/limits/Slots.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { visibleTo } from './MessageStore.ts';
import {
  conversationMembers,
  isMemberByHour,
  conversations,
  messageWords,
  searchStates,
  walletMessages,
  type MessageRow,
} from './tables.ts';
import { contentFor } from './toWire.ts';
import { monthOf, prefixOf, wordsOf } from './words.ts';

const hourMs = 3_600_000;
/** How much older than its commit a message is at most, with a margin: its statements have half a minute each. */
const storingMs = 10 * 60_000;
const batchSize = 100;
/** The maximum number of words per message that can be found. */
const maxWords = 1_000;
/** How long one request indexes. A wallet with very many messages needs several requests before its first search. */
const patienceMs = 5_000;
/** The maximum number of wallets for which this process indexes at the same time, and that wait for it. */
const [atOnce, maxWaiting, maxPerWallet] = [2, 200, 5];

/**
 * The words of messages, for searching. Messages are indexed for a wallet when it searches, not when they are sent: most wallets never
 * search, and sending stays as fast as without a search. Each message is indexed once per wallet.
 */
export class SearchIndex {
  readonly #db: NodePgDatabase;
  readonly #slots = new Slots(atOnce, maxWaiting, maxPerWallet);

  constructor(db: NodePgDatabase) {
    this.#db = db;
  }

  /**
   * Indexes the messages of a wallet that are not indexed yet.
   * @throws ParleyError SERVICE_UNAVAILABLE if they are too many for one request: repeat it
   */
  async catchUp(wallet: Address): Promise<void> {
    const state = await this.#stateOf(wallet);
    const behind = await this.#conversationsBehind(wallet, state.completeAt);
    if (behind.length > 0)
      await this.#slots.run(
        () => this.#indexAll(wallet, state.completeAt, performance.now() + patienceMs),
        wallet,
      );
    await this.#complete(wallet, state);
  }

  /** Replaces the words of a message, for those of these wallets for which it is indexed. */
  async change(executor: Executor, row: MessageRow, wallets: Address[]): Promise<void> {
    for (const wallet of wallets)
      await executor
        .update(messageWords)
        .set({ words: vectorOf(row, wallet) })
        .where(ofMessage(row, [wallet]));
  }

  /** Removes the words of a message for these wallets. */
  async remove(executor: Executor, row: MessageRow, wallets: Address[]): Promise<void> {
    await executor.delete(messageWords).where(ofMessage(row, wallets));
  }

  /** Until when all messages of the wallet were indexed by an earlier search, and the time of this one. */
  async #stateOf(wallet: Address): Promise<{ completeAt: Date | null; now: Date }> {
    const { rows } = await this.#db.execute<{ complete_at: string | null; now: string }>(sql`
      SELECT now(), (SELECT complete_at FROM search_states WHERE wallet = ${wallet})`);
    const [{ complete_at: completeAt = null, now = 0 } = {}] = rows;
    return { completeAt: completeAt === null ? null : new Date(completeAt), now: new Date(now) };
  }

  /** Keeps that all messages were indexed at the time of a search, once an hour. */
  async #complete(
    wallet: Address,
    { completeAt, now }: { completeAt: Date | null; now: Date },
  ): Promise<void> {
    if (completeAt && now.getTime() - completeAt.getTime() < hourMs) return;
    await this.#db
      .insert(searchStates)
      .values({ wallet, completeAt: now })
      .onConflictDoUpdate({
        target: searchStates.wallet,
        set: { completeAt: sql`greatest(${searchStates.completeAt}, excluded.complete_at)` },
      });
  }

  /**
   * The conversations of a wallet with messages that are not indexed.
   * @param completeAt when all were indexed: only conversations that were active since then are looked at
   */
  #conversationsBehind(wallet: Address, completeAt: Date | null): Promise<{ id: string }[]> {
    const { indexedUntil, conversation, activeAt } = conversationMembers;
    const since = completeAt && new Date(Math.floor((completeAt.getTime() - storingMs) / hourMs) * hourMs);
    const isBehind = sql`(${indexedUntil} IS NULL OR ${conversations.latestAt} > ${indexedUntil})`;
    return this.#db
      .select({ id: conversation })
      .from(conversationMembers)
      .innerJoin(conversations, eq(conversations.id, conversation))
      .where(
        and(
          since ? and(isMemberByHour(wallet), gte(activeAt, since)) : eq(conversationMembers.wallet, wallet),
          isBehind,
        ),
      );
  }

  async #indexAll(wallet: Address, completeAt: Date | null, until: number): Promise<void> {
    for (const { id } of await this.#conversationsBehind(wallet, completeAt)) {
      for (let isBehind = true; isBehind;) {
        if (performance.now() > until) throw notYet();
        isBehind = await this.#indexBatch(wallet, id);
      }
    }
  }

  /** @returns whether more messages of the conversation may have to be indexed */
  #indexBatch(wallet: Address, conversation: string): Promise<boolean> {
    const isMember = and(
      eq(conversationMembers.wallet, wallet),
      eq(conversationMembers.conversation, conversation),
    );
    return this.#db.transaction(async (executor) => {
      // Locked, so that simultaneous searches of a wallet do not index the same messages.
      const [member] = await executor.select().from(conversationMembers).where(isMember).for('no key update');
      const [{ latestAt } = {}] = await executor
        .select()
        .from(conversations)
        .where(eq(conversations.id, conversation));
      if (!member || !latestAt) return false;
      // Messages of a conversation are committed in the order of their times, so none before the last of these can appear later. They are
      // locked, so that an edit or a deletion finds their words.
      const rows = await executor
        .select({ row: walletMessages, isVisible: visibleTo(wallet) as SQL<boolean> })
        .from(walletMessages)
        .where(
          and(
            eq(walletMessages.conversation, conversation),
            sql`${walletMessages.sentAt} > coalesce(${member.indexedUntil?.toISOString() ?? null}::timestamptz, '-infinity')`,
          ),
        )
        .orderBy(walletMessages.sentAt)
        .limit(batchSize)
        .for('share');
      const shown = rows.filter(({ row, isVisible }) => row.deletedAt === null && isVisible);
      const words = shown.map(({ row }) => ({
        wallet,
        sentAt: row.sentAt,
        message: row.id,
        words: vectorOf(row, wallet),
      }));
      if (words.length > 0) await executor.insert(messageWords).values(words).onConflictDoNothing();
      const isBehind = rows.length === batchSize;
      const last = rows.at(-1)?.row.sentAt ?? latestAt;
      const indexedUntil = isBehind || last > latestAt ? last : latestAt;
      await executor.update(conversationMembers).set({ indexedUntil }).where(isMember);
      return isBehind;
    });
  }
}

const ofMessage = (row: MessageRow, wallets: Address[]) =>
  and(
    inArray(messageWords.wallet, wallets),
    eq(messageWords.sentAt, row.sentAt),
    eq(messageWords.message, row.id),
  );

function vectorOf(row: MessageRow, wallet: Address) {
  const prefix = prefixOf(wallet, monthOf(row.sentAt));
  const words = wordsOf(contentFor(row, wallet).content).slice(0, maxWords);
  return sql`array_to_tsvector(${sql.param(words.map((word) => `${prefix}${word}`))}::text[])`;
}

const notYet = () =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The search is being prepared for your messages: try again in a moment.',
    { retryAfter: 1 },
  );
