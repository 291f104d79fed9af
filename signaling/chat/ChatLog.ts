import { and, desc, eq, lt, lte, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import { newId, randomOf, timeOfId } from '../../sdk/protocol/ids.ts';
import type { ChatRow, ChatTable } from './chatTable.ts';

/** The maximum number of messages kept per room or stream. */
const kept = 500;

/**
 * The chats of all rooms, or those of all streams, in one table. Only the latest messages are kept, those of a stream only for as long as
 * it lasts.
 */
export class ChatLog {
  readonly #db: Executor;
  readonly #table: ChatTable;

  constructor(db: Executor, table: ChatTable) {
    this.#db = db;
    this.#table = table;
  }

  /**
   * Adds a message, and removes all but the latest 500. Call inside a transaction that has locked the room or stream, so that each message
   * has a later time than the one before it, and one that is sent twice is stored once.
   * @param given the id that the sender has chosen. The stored one has the same random part, and the time of this server
   * @returns the message, which may have been stored by an earlier request
   */
  async add(executor: Executor, message: Omit<ChatRow, 'id' | 'sentAt'>, given?: string): Promise<ChatRow> {
    const table = this.#table;
    const inScope = eq(table.scopeId, message.scopeId);
    const random = given && randomOf(given);
    if (random) {
      const isIt = sql`right(${table.id}, ${random.length}::int) = ${random}`;
      const isOwn = eq(table.wallet, message.wallet);
      const [stored] = await executor
        .select()
        .from(table)
        .where(and(inScope, isOwn, isIt));
      if (stored) return stored;
    }
    const [newest] = await executor
      .select({ sentAt: table.sentAt })
      .from(table)
      .where(inScope)
      .orderBy(desc(table.sentAt))
      .limit(1);
    const at = Math.max(Date.now(), (newest?.sentAt.getTime() ?? 0) + 1);
    // With its time in the id, read() finds the place of a message that was deleted.
    const row = { ...message, id: newId('msg', at, random), sentAt: new Date(at) };
    await executor.insert(table).values(row);
    const [last] = await executor
      .select({ sentAt: table.sentAt })
      .from(table)
      .where(inScope)
      .orderBy(desc(table.sentAt))
      .offset(kept)
      .limit(1);
    if (last) await executor.delete(table).where(and(inScope, lte(table.sentAt, last.sentAt)));
    return row;
  }

  /**
   * Reads the latest messages, oldest first.
   * @param before the id of a message; only messages before it are read
   * @param until only messages until this time are read
   */
  async read(scopeId: string, limit: number, before?: string, until?: Date): Promise<ChatRow[]> {
    const table = this.#table;
    const inScope = eq(table.scopeId, scopeId);
    const first = this.#db
      .select({ sentAt: table.sentAt })
      .from(table)
      .where(and(inScope, eq(table.id, before ?? '')));
    const rows = await this.#db
      .select()
      .from(table)
      .where(
        and(
          inScope,
          before
            ? lt(
                table.sentAt,
                sql`coalesce((${first}), ${new Date(timeOfId(before)).toISOString()}::timestamptz)`,
              )
            : undefined,
          until && lte(table.sentAt, until),
        ),
      )
      .orderBy(desc(table.sentAt))
      .limit(limit);
    return rows.reverse();
  }

  /** Counts the messages of several chats. @param scopes the time until which the messages of each are counted; null for all */
  async count(scopes: Map<string, Date | null>): Promise<Map<string, number>> {
    const table = this.#table;
    const ids = sql.param([...scopes.keys()]);
    const until = sql.param([...scopes.values()].map((time) => time?.toISOString() ?? 'infinity'));
    const { rows } = await this.#db.execute<{ id: string; count: number }>(sql`
      SELECT given.id, (
        SELECT count(*)::int FROM ${table} WHERE ${table.scopeId} = given.id AND ${table.sentAt} <= given.until
      ) AS count FROM unnest(${ids}::text[], ${until}::timestamptz[]) AS given (id, until)`);
    return new Map(rows.map(({ id, count }) => [id, count]));
  }

  async find(executor: Executor, scopeId: string, id: string): Promise<ChatRow | null> {
    const table = this.#table;
    const [row] = await executor
      .select()
      .from(table)
      .where(and(eq(table.scopeId, scopeId), eq(table.id, id)));
    return row ?? null;
  }

  async remove(executor: Executor, id: string): Promise<void> {
    await executor.delete(this.#table).where(eq(this.#table.id, id));
  }

  /** Deletes all messages, because the stream has ended. */
  async clear(executor: Executor, scopeId: string): Promise<void> {
    await executor.delete(this.#table).where(eq(this.#table.scopeId, scopeId));
  }
}
