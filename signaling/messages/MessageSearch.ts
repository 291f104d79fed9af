import { eq, max, min, sql, type SQL } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Place } from '../../platform/database/places.ts';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Recipient } from '../../sdk/protocol/group.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { conversationId } from './conversationId.ts';
import type { MessageService } from './MessageService.ts';
import { visibleTo, type MessageStore } from './MessageStore.ts';
import type { SearchIndex } from './SearchIndex.ts';
import { messageWords } from './tables.ts';
import { monthOf, prefixOf, queryWordsOf, startOf } from './words.ts';

interface SearchDeps {
  db: NodePgDatabase;
  store: Pick<MessageStore, 'find'>;
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
    const places = await this.#places(wallet, { words, peer, limit: limit + 1, before });
    const page = places.slice(0, limit);
    const found = await this.#deps.store.find(
      page.map(({ id }) => id),
      wallet,
    );
    const byId = new Map(
      (await this.#deps.messages.toMessages(wallet, found)).map((message) => [message.id, message]),
    );
    const last = page.at(-1);
    const hasMore = places.length > limit;
    return {
      data: page.flatMap(({ id }) => byId.get(id) ?? []),
      hasMore,
      nextCursor: hasMore && last ? toCursor(last) : null,
    };
  }

  /** The places of the messages, newest first. */
  async #places(wallet: Address, wanted: Wanted): Promise<Place[]> {
    const [range] = await this.#deps.db
      .select({ first: min(messageWords.sentAt), last: max(messageWords.sentAt) })
      .from(messageWords)
      .where(eq(messageWords.wallet, wallet));
    if (!range?.first || !range.last) return [];
    const { before, peer } = wanted;
    const [oldest, last] = [monthOf(range.first), monthOf(range.last)];
    const newest = before ? Math.min(last, monthOf(before.at)) : last;
    if (!peer) return this.#inIndex(wallet, wanted, newest, oldest);
    // The index of words does not know conversations, and most are short.
    const { found, until } = await this.#inLatest(wallet, maxAtOnce, wanted, newest, oldest);
    if (!until) return found;
    const rest = { ...wanted, limit: wanted.limit - found.length, before: until };
    return [...found, ...(await this.#inIndex(wallet, rest, monthOf(until.at), oldest))];
  }

  /** Goes back in time from a month until the page is full, by more months in each step. */
  async #inIndex(wallet: Address, wanted: Wanted, newest: number, oldest: number): Promise<Place[]> {
    const found: Place[] = [];
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
          (await this.#frequentIn(wallet, rest, month, first))),
      );
      month = first - 1;
    }
    return found;
  }

  /** Sorts all messages of these months with the words. @returns null if they are too many */
  async #rareIn(wallet: Address, wanted: Wanted, newest: number, oldest: number): Promise<Place[] | null> {
    const { words, before } = wanted;
    // The prefix of the words selects the wallet. A condition on its column could make PostgreSQL read all rows of the wallet.
    // As a query of its own, so that PostgreSQL uses the index: if it saw the limit, it would expect to find as many soon without it.
    const matched = sql`
      WITH indexed AS MATERIALIZED (
        SELECT w.sent_at, w.message FROM message_words w
        WHERE w.words @@ ${queryOf(wallet, newest, oldest, words)}::tsquery AND ${isBefore(before)}
      ) SELECT * FROM indexed LIMIT ${maxSorted + 1}`;
    const { count, places } = await this.#visible(wallet, matched, wanted);
    return count > maxSorted ? null : places;
  }

  /** Looks at the messages of these months from the newest one on: if many have the words, the page is soon full. */
  async #frequentIn(wallet: Address, wanted: Wanted, newest: number, oldest: number): Promise<Place[]> {
    const found: Place[] = [];
    const end = { at: startOf(newest + 1), id: '' };
    let before = wanted.before && wanted.before.at < end.at ? wanted.before : end;
    for (let count = 64; found.length < wanted.limit; count = Math.min(count * 4, maxAtOnce)) {
      const rest = { ...wanted, before, limit: wanted.limit - found.length };
      const { found: more, until } = await this.#inLatest(wallet, count, rest, newest, oldest);
      found.push(...more);
      if (!until || monthOf(until.at) < oldest) break;
      before = until;
    }
    return found;
  }

  /**
   * Looks at the latest messages of the wallet one by one, or at those of its conversation with `peer`.
   * @param count how many are looked at
   * @returns `found`: those of these months with the words; `until`: the last one that was looked at, null if there are no others
   */
  async #inLatest(
    wallet: Address,
    count: number,
    wanted: Wanted,
    newest: number,
    oldest: number,
  ): Promise<{ found: Place[]; until: Place | null }> {
    const { words, peer, before } = wanted;
    const older = peer
      ? sql`FROM wallet_messages m JOIN message_words w ON w.wallet = ${wallet} AND w.sent_at = m.sent_at AND w.message = m.id
          WHERE m.conversation = ${conversationId(wallet, peer)}
            AND ${before ? sql`m.sent_at < ${toIso(before.at)}::timestamptz` : sql`true`}`
      : sql`FROM message_words w WHERE w.wallet = ${wallet} AND ${isBefore(before)}`;
    const { rows } = await this.#deps.db.execute<{ at: string; id: string }>(sql`
      SELECT w.sent_at AS at, w.message AS id ${older}
      ORDER BY ${peer ? sql`m.sent_at DESC` : sql`w.sent_at DESC, w.message DESC`} OFFSET ${count - 1} LIMIT 1`);
    const [last = null] = rows.map(({ at, id }) => ({ at: new Date(at), id }));
    const from = last ? Math.max(oldest, monthOf(last.at)) : oldest;
    const isFrom = last
      ? peer
        ? sql`m.sent_at >= ${toIso(last.at)}::timestamptz`
        : sql`(w.sent_at, w.message) >= (${toIso(last.at)}::timestamptz, ${last.id})`
      : sql`true`;
    // Up to this message and not by number: another search may have indexed messages since. OFFSET keeps PostgreSQL from using the index of words.
    const matched = sql`
      SELECT sent_at, message FROM (
        SELECT w.sent_at, w.message, w.words ${older} AND ${isFrom} OFFSET 0
      ) latest
      WHERE words @@ ${queryOf(wallet, newest, from, words)}::tsquery`;
    return { found: (await this.#visible(wallet, matched, wanted)).places, until: last };
  }

  /**
   * Looks up the `matched` messages, newest first, until the page is full.
   * @returns how many are matched, and the places of those that the wallet can see
   */
  async #visible(
    wallet: Address,
    matched: SQL,
    { peer, limit }: Wanted,
  ): Promise<{ count: number; places: Place[] }> {
    const { rows } = await this.#deps.db.execute<{ count: number; at: string | null; id: string }>(sql`
      WITH matched AS MATERIALIZED (${matched})
      SELECT given.count, found.* FROM (SELECT count(*)::int FROM matched) given LEFT JOIN (
        SELECT w.sent_at AS at, w.message AS id FROM (SELECT * FROM matched ORDER BY sent_at DESC, message DESC) w
        CROSS JOIN LATERAL (
          SELECT FROM wallet_messages m WHERE m.id = w.message AND m.deleted_at IS NULL AND ${visibleTo(wallet, sql`m`)}
            AND ${peer ? sql`m.conversation = ${conversationId(wallet, peer)}` : sql`true`} LIMIT 1
        ) seen
        ORDER BY w.sent_at DESC, w.message DESC LIMIT ${limit}
      ) found ON true`);
    const places = rows.flatMap(({ at, id }) => (at === null ? [] : [{ at: new Date(at), id }]));
    return { count: rows[0]?.count ?? 0, places };
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
