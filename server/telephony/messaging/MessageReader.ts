import { and, desc, eq, gte, inArray, isNotNull, lt, type SQL } from 'drizzle-orm';
import type { z } from 'zod';
import type { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import type { conversation, threadsQuery } from '../../../sdk/protocol/messaging.ts';
import type { ownMessagesQuery } from '../../../sdk/protocol/numbers.ts';
import type { inboxQuery } from '../../../sdk/protocol/sms.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { Database } from '../../../platform/database/database.ts';
import { isOneOf } from '../../../platform/database/isOneOf.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import { notOwned } from '../numbers/NumberService.ts';
import { phoneNumbers } from '../numbers/tables.ts';
import { messages, threads, type ThreadRow } from './tables.ts';
import { toMessage, toThread, type WireMessage, type WireThread } from './toWire.ts';
import { badField, noSuch } from '../../http/refusals.ts';

type Paging = { limit?: number | undefined; cursor?: string | undefined };

/** Reads the texts and threads of an account. */
export class MessageReader {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws ParleyError NOT_FOUND */
  async one(accountId: string, id: string): Promise<WireMessage> {
    const [row] = await this.#db
      .select()
      .from(messages)
      .where(and(...listed(accountId), eq(messages.id, id)));
    if (!row)
      throw noSuch(
        'message',
        'No message has this id. List your messages with GET /sms/inbox or GET /numbers/mine/messages.',
      );
    return toMessage(row);
  }

  /** Inbound texts: replies to texts from the pool, and texts to numbers of the account. */
  inbox(accountId: string, query: z.output<typeof inboxQuery>): Promise<Page<WireMessage>> {
    return this.#page(this.#db, query, [
      ...listed(accountId),
      eq(messages.direction, 'inbound'),
      query.from === undefined ? undefined : eq(messages.counterparty, query.from),
      since(query.since),
    ]);
  }

  /** @throws ParleyError NOT_FOUND if the account has never had the number */
  async ofNumbers(accountId: string, query: z.output<typeof ownMessagesQuery>): Promise<Page<WireMessage>> {
    return this.#page(this.#db, query, [
      ...listed(accountId),
      query.number === undefined
        ? isNotNull(messages.numberId)
        : inArray(messages.numberId, await this.#idsOf(accountId, query.number)),
      query.direction && eq(messages.direction, query.direction),
      query.with === undefined ? undefined : eq(messages.counterparty, query.with),
      since(query.since),
    ]);
  }

  /**
   * The ids of a number. A number that was released and bought again has several.
   * @throws ParleyError NOT_FOUND
   */
  async #idsOf(accountId: string, number: string): Promise<string[]> {
    const owned = await this.#db
      .select({ id: phoneNumbers.id })
      .from(phoneNumbers)
      .where(and(eq(phoneNumbers.accountId, accountId), eq(phoneNumbers.phoneNumber, number)));
    if (owned.length === 0) throw notOwned();
    return owned.map(({ id }) => id);
  }

  async threads(accountId: string, query: z.output<typeof threadsQuery>): Promise<Page<WireThread>> {
    const { limit, before } = pageRequest(query);
    const rows = await this.#db
      .select()
      .from(threads)
      .where(
        and(
          eq(threads.accountId, accountId),
          query.number === undefined ? undefined : eq(threads.number, query.number),
          before === null ? undefined : lt(threads.lastSeq, before),
        ),
      )
      .orderBy(desc(threads.lastSeq))
      .limit(limit + 1);
    const inOrder = rows.map((row) => ({ ...row, seq: row.lastSeq }));
    const page = toPage(inOrder, limit, (row) => row);
    return { ...page, data: (await withLast(this.#db, page.data)).map(toThread) };
  }

  /**
   * The messages between the account and a counterparty. If several of the account's numbers have a thread with the counterparty, `number`
   * selects one. Without `number`, the thread that was used last is read. Reading the first page marks the thread as read; the returned
   * `unreadCount` is the count from before.
   * @throws ParleyError NOT_FOUND
   */
  async conversation(
    accountId: string,
    counterparty: string,
    query: z.output<typeof threadsQuery>,
  ): Promise<z.input<typeof conversation>> {
    return this.#db.transaction(async (tx) => {
      // The lock ensures that messages that arrive meanwhile stay unread. The thread is locked without joining its last message: if the
      // thread got another message while a joined query waited for the lock, the thread would be missing from the result.
      const locked = await tx
        .select()
        .from(threads)
        .where(
          and(
            eq(threads.accountId, accountId),
            eq(threads.counterparty, counterparty),
            query.number === undefined ? undefined : eq(threads.number, query.number),
          ),
        )
        .orderBy(desc(threads.lastSeq))
        .limit(1)
        .for('update');
      const [found] = await withLast(tx, locked);
      if (!found) throw noThread(counterparty);
      const page = await this.#page(tx, query, [...listed(accountId), eq(messages.threadId, found.id)]);
      if (query.cursor === undefined && found.unreadCount > 0)
        await tx.update(threads).set({ unreadCount: 0 }).where(eq(threads.id, found.id));
      return { thread: toThread(found), ...page };
    });
  }

  async #page(executor: Executor, query: Paging, wanted: (SQL | undefined)[]): Promise<Page<WireMessage>> {
    const { limit, before } = pageRequest(query);
    const rows = await executor
      .select()
      .from(messages)
      .where(and(...wanted, before === null ? undefined : lt(messages.seq, before)))
      .orderBy(desc(messages.seq))
      .limit(limit + 1);
    return toPage(rows, limit, toMessage);
  }
}

function noThread(counterparty: string): ParleyError {
  const message =
    'There are no texts between you and this number. List your threads with GET /messaging/threads.';
  if (counterparty.startsWith('+')) return noSuch('thread', message);
  // Hardly the short code or the name of a sender, but a wrong number.
  const wanted =
    'must be a phone number (%2B and 7 to 15 digits, or only the digits), or a sender of a thread';
  return badField('counterparty', 'invalid_phone_number', wanted);
}

/** The messages an account may see. */
const listed = (accountId: string) => [eq(messages.accountId, accountId), eq(messages.isSecret, false)];

const since = (moment: string | undefined) =>
  moment === undefined ? undefined : gte(messages.createdAt, new Date(moment));

/** Adds their last messages to threads. A thread that was removed meanwhile is left out. */
async function withLast(executor: Executor, rows: ThreadRow[]) {
  // Looked up together, because messages of about the same time are on the same pages, of the index and of the table.
  const ids = rows.flatMap(({ lastMessageId }) => lastMessageId ?? []);
  const found = await executor.select().from(messages).where(isOneOf(messages.id, ids));
  const lasts = new Map(found.map((last) => [last.id, last]));
  return rows.flatMap((row) => {
    const last = lasts.get(row.lastMessageId ?? '');
    return last ? { ...row, last } : [];
  });
}
