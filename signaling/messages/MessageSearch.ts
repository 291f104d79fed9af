import { and, desc, eq, isNull, max, min, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { after, type Place } from '../../platform/database/places.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Recipient } from '../../sdk/protocol/group.ts';
import type { RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import { conversationId } from './conversationId.ts';
import type { MessageService } from './MessageService.ts';
import { visibleTo, type MessageStore } from './MessageStore.ts';
import type { SearchIndex } from './SearchIndex.ts';
import { messageWords, walletMessages } from './tables.ts';
import { monthOf, prefixOf, queryWordsOf } from './words.ts';

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
/** The maximum number of months that are searched in one statement. */
const maxMonths = 16;

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

  /** The places of the messages, newest first. Goes back in time until the page is full, by more months in each step. */
  async #places(wallet: Address, wanted: Wanted): Promise<Place[]> {
    const [range] = await this.#deps.db
      .select({ first: min(messageWords.sentAt), last: max(messageWords.sentAt) })
      .from(messageWords)
      .where(eq(messageWords.wallet, wallet));
    if (!range?.first || !range.last) return [];
    const [first, last] = [monthOf(range.first), monthOf(range.last)];
    const found: Place[] = [];
    let month = wanted.before ? Math.min(last, monthOf(wanted.before.at)) : last;
    for (
      let count = 1;
      month >= first && found.length < wanted.limit;
      count = Math.min(count * 2, maxMonths)
    ) {
      const months = Array.from({ length: Math.min(count, month - first + 1) }, (_, index) => month - index);
      found.push(
        ...(await this.#inMonths(wallet, months, { ...wanted, limit: wanted.limit - found.length })),
      );
      month -= months.length;
    }
    return found;
  }

  #inMonths(wallet: Address, months: number[], { words, peer, limit, before }: Wanted): Promise<Place[]> {
    // Words consist of letters, digits and emoji, so they need no escaping.
    const inMonth = (month: number) =>
      words.map((word) => `'${prefixOf(wallet, month)}${word}':*`).join(' & ');
    const query = months.map((month) => `(${inMonth(month)})`).join(' | ');
    return this.#deps.db
      .select({ at: messageWords.sentAt, id: messageWords.message })
      .from(messageWords)
      .innerJoin(walletMessages, eq(walletMessages.id, messageWords.message))
      .where(
        and(
          // The prefix of the words selects the wallet. A condition on its column could make PostgreSQL read all rows of the wallet.
          sql`${messageWords.words} @@ ${query}::tsquery`,
          after(before, messageWords.sentAt, messageWords.message),
          visibleTo(wallet),
          isNull(walletMessages.deletedAt),
          peer && eq(walletMessages.conversation, conversationId(wallet, peer)),
        ),
      )
      .orderBy(desc(messageWords.sentAt), desc(messageWords.message))
      .limit(limit);
  }
}

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
