import { eq, max, min, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Place } from '../../platform/database/places.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Recipient } from '../../sdk/protocol/group.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { conversationId } from './conversationId.ts';
import type { MessageService } from './MessageService.ts';
import type { MarkedMessage, MessageStore } from './MessageStore.ts';
import type { SearchIndex } from './SearchIndex.ts';
import { messageWords } from './tables.ts';
import { monthOf, prefixOf, queryWordsOf, startOf } from './words.ts';

interface SearchDeps {
  db: NodePgDatabase;
  store: Pick<MessageStore, 'findVisible'>;
  messages: Pick<MessageService, 'toMessages'>;
  index: Pick<SearchIndex, 'catchUp'>;
}

interface Wanted {
  words: string[];
  peer: Recipient | undefined;
  limit: number;
  before: Place | null;
}

/** The maximum number of words of a query; further words are ignored. */
const maxWords = 20;
/** The maximum number of months that are searched in the index in one statement. */
const maxMonths = 16;
/** The maximum number of messages that are sorted. If more have the words, they are frequent, and the newest ones are soon found. */
const maxSorted = 1_000;
/** The maximum number of messages that one statement looks at one by one. */
const maxAtOnce = 1_000;
/** How many messages are looked at first. They tell how frequent the words are. */
const firstLook = 64;

/** Finds messages by words, for one wallet. */
export class MessageSearch {
  readonly #deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /** @throws ParleyError VALIDATION_ERROR, or SERVICE_UNAVAILABLE if the messages are not indexed yet */
  async find(
    wallet: Address,
    { query, with: peer, limit, cursor }: RequestOf<'messages.search'>,
  ): Promise<ResponseOf<'messages.search'>> {
    const words = queryWordsOf(query).slice(0, maxWords);
    if (words.length === 0)
      throw invalid('query', 'must contain a letter, a digit or an emoji to search for');
    const before = cursor === undefined ? null : toPlace(cursor);
    await this.#deps.index.catchUp(wallet);
    const found = await this.#search(wallet, { words, peer, limit: limit + 1, before });
    const page = found.slice(0, limit);
    const last = page.at(-1)?.message;
    const hasMore = found.length > limit;
    return {
      data: await this.#deps.messages.toMessages(wallet, page),
      hasMore,
      nextCursor: hasMore && last ? toCursor({ at: last.sentAt, id: last.id }) : null,
    };
  }

  /** Newest first. */
  async #search(wallet: Address, wanted: Wanted): Promise<MarkedMessage[]> {
    const [range] = await this.#deps.db
      .select({ first: min(messageWords.sentAt), last: max(messageWords.sentAt) })
      .from(messageWords)
      .where(eq(messageWords.wallet, wallet));
    if (!range?.first || !range.last) return [];
    const { before, peer } = wanted;
    const [oldest, last] = [monthOf(range.first), monthOf(range.last)];
    const newest = before ? Math.min(last, monthOf(before.at)) : last;
    // The index knows no conversations, and most are short. It also finds all messages of a month that have a frequent word.
    const { found, until } = await this.#inLatest(wallet, wanted, newest, oldest, {
      count: peer ? maxAtOnce : firstLook,
      onlyFrequent: true,
    });
    if (!until) return found;
    const rest = { ...wanted, limit: wanted.limit - found.length, before: until };
    return [...found, ...(await this.#inIndex(wallet, rest, monthOf(until.at), oldest))];
  }

  /** Goes back in time from a month until the page is full, by more months in each step. */
  async #inIndex(wallet: Address, wanted: Wanted, newest: number, oldest: number): Promise<MarkedMessage[]> {
    const found: MarkedMessage[] = [];
    let month = newest;
    for (
      let count = 1;
      month >= oldest && found.length < wanted.limit;
      count = Math.min(count * 2, maxMonths)
    ) {
      const first = Math.max(oldest, month - count + 1);
      const rest = { ...wanted, limit: wanted.limit - found.length };
      found.push(
        ...((await this.#rareIn(wallet, rest, month, first)) ??
          (await this.#inLatest(wallet, rest, month, first, { count: firstLook, onlyFrequent: false }))
            .found),
      );
      month = first - 1;
    }
    return found;
  }

  /** Sorts all messages of these months with the words. @returns null if they are too many */
  async #rareIn(
    wallet: Address,
    wanted: Wanted,
    newest: number,
    oldest: number,
  ): Promise<MarkedMessage[] | null> {
    const { words, before } = wanted;
    // The prefix of the words selects the wallet. A condition on its column could make PostgreSQL read all rows of the wallet.
    // As a query of its own, so that PostgreSQL uses the index: if it saw the limit, it would expect to find as many soon without it.
    const { rows } = await this.#deps.db.execute<{ ids: string[] | null }>(sql`
      WITH indexed AS MATERIALIZED (
        SELECT w.sent_at, w.message FROM message_words w
        WHERE w.words @@ ${queryOf(wallet, newest, oldest, words)}::tsquery AND ${isBefore(before)}
      )
      SELECT array_agg(message ORDER BY sent_at DESC, message DESC) AS ids
      FROM (SELECT * FROM indexed LIMIT ${maxSorted + 1}) matched HAVING count(*) <= ${maxSorted}`);
    const [matched] = rows;
    return matched ? this.#deps.store.findVisible(wallet, matched.ids ?? [], wanted) : null;
  }

  /**
   * Looks at the messages of these months from the newest one on, at more in each step, until the page is full.
   * @param look `count`: how many are looked at first; `onlyFrequent`: whether it ends where a page would take more than 1,000 messages
   * @returns `found`: those with the words; `until`: the last one that was looked at, null if the page is full or there are no others
   */
  async #inLatest(
    wallet: Address,
    wanted: Wanted,
    newest: number,
    oldest: number,
    look: { count: number; onlyFrequent: boolean },
  ): Promise<{ found: MarkedMessage[]; until: Place | null }> {
    const found: MarkedMessage[] = [];
    const end = { at: startOf(newest + 1), id: '' };
    let before = wanted.before && wanted.before.at < end.at ? wanted.before : end;
    for (let { count } = look; ; count = Math.min(count * 4, maxAtOnce)) {
      const rest = { ...wanted, before, limit: wanted.limit - found.length };
      const { found: more, until } = await this.#lookAt(wallet, count, rest, newest, oldest);
      found.push(...more);
      if (!until || monthOf(until.at) < oldest || found.length >= wanted.limit) return { found, until: null };
      before = until;
      if (look.onlyFrequent && more.length * maxAtOnce < wanted.limit * count) return { found, until };
    }
  }

  /**
   * Looks at the latest messages of the wallet one by one, or at those of its conversation with `peer`.
   * @param count how many are looked at
   * @returns `found`: those of these months with the words; `until`: the last one that was looked at, null if there are no others
   */
  async #lookAt(
    wallet: Address,
    count: number,
    wanted: Wanted,
    newest: number,
    oldest: number,
  ): Promise<{ found: MarkedMessage[]; until: Place | null }> {
    const until = await this.#placeAfter(wallet, count, wanted);
    const { words, peer, before } = wanted;
    const from = until ? Math.max(oldest, monthOf(until.at)) : oldest;
    // Up to this message and not by number: another search may have indexed messages since. OFFSET keeps PostgreSQL from using the index of words.
    const { rows } = await this.#deps.db.execute<{ id: string }>(sql`
      SELECT message AS id FROM (
        SELECT w.sent_at, w.message, w.words
        FROM ${
          peer
            ? sql`wallet_messages m JOIN message_words w ON w.wallet = ${wallet} AND w.sent_at = m.sent_at AND w.message = m.id
          WHERE m.conversation = ${conversationId(wallet, peer)}
            AND ${before ? sql`m.sent_at < ${toIso(before.at)}::timestamptz` : sql`true`}
            AND ${until ? sql`m.sent_at >= ${toIso(until.at)}::timestamptz` : sql`true`}`
            : sql`message_words w WHERE w.wallet = ${wallet} AND ${isBefore(before)}
            AND ${until ? sql`(w.sent_at, w.message) >= (${toIso(until.at)}::timestamptz, ${until.id})` : sql`true`}`
        } OFFSET 0
      ) latest
      WHERE words @@ ${queryOf(wallet, newest, from, words)}::tsquery ORDER BY sent_at DESC, message DESC`);
    const ids = rows.map(({ id }) => id);
    return { found: await this.#deps.store.findVisible(wallet, ids, wanted), until };
  }

  /** The place of the message number `count` of those that are looked at. Null if there are fewer. */
  async #placeAfter(wallet: Address, count: number, { peer, before }: Wanted): Promise<Place | null> {
    // By the index alone. In a conversation, each message has a time of its own, and so the time is the place.
    const { rows } = await this.#deps.db.execute<{ at: string; id: string }>(
      peer
        ? sql`SELECT m.sent_at AS at, '' AS id FROM wallet_messages m WHERE m.conversation = ${conversationId(wallet, peer)}
            AND ${before ? sql`m.sent_at < ${toIso(before.at)}::timestamptz` : sql`true`}
          ORDER BY m.sent_at DESC OFFSET ${count - 1} LIMIT 1`
        : sql`SELECT w.sent_at AS at, w.message AS id FROM message_words w WHERE w.wallet = ${wallet} AND ${isBefore(before)}
          ORDER BY w.sent_at DESC, w.message DESC OFFSET ${count - 1} LIMIT 1`,
    );
    const [place] = rows;
    return place ? { at: new Date(place.at), id: place.id } : null;
  }
}

/** Selects the messages of a wallet in these months that have all words. Words consist of letters, digits and emoji, so they need no escaping. */
function queryOf(wallet: Address, newest: number, oldest: number, words: string[]): string {
  const inMonth = (month: number) => words.map((word) => `'${prefixOf(wallet, month)}${word}':*`).join(' & ');
  const months = Array.from({ length: Math.max(1, newest - oldest + 1) }, (_, index) => newest - index);
  return months.map((month) => `(${inMonth(month)})`).join(' | ');
}

/** The condition for rows `w` after a place in the list. */
const isBefore = (place: Place | null): SQL =>
  place ? sql`(w.sent_at, w.message) < (${toIso(place.at)}::timestamptz, ${place.id})` : sql`true`;

const toCursor = ({ at, id }: Place) => Buffer.from(`${at.getTime()}:${id}`).toString('base64url');

/** @throws ParleyError VALIDATION_ERROR */
function toPlace(cursor: string): Place {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, at, id] = /^(\d{1,14}):(\w{1,64})$/.exec(text) ?? [];
  if (at !== undefined && id !== undefined) return { at: new Date(Number(at)), id };
  throw invalid('cursor', 'is no cursor of this list. Use the nextCursor of the page before, unchanged');
}

function invalid(path: string, problem: string): ParleyError {
  const message = `${path}: ${problem}.`;
  return new ParleyError('VALIDATION_ERROR', message, {
    details: [{ path, code: 'invalid_value', message }],
  });
}
