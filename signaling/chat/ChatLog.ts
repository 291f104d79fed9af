import { and, desc, eq, lt, lte, sql } from 'drizzle-orm';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ChatRow, ChatTable } from './chatTable.ts';

/** Messages kept per room or stream. */
const kept = 500;

/** The chat of rooms, or of streams: the latest messages, for as long as the room or stream lasts. */
export class ChatLog {
  readonly #db: Executor;
  readonly #table: ChatTable;

  constructor(db: Executor, table: ChatTable) {
    this.#db = db;
    this.#table = table;
  }

  /** Requires a transaction that holds the room or stream, so that times increase. Removes messages beyond the latest 500. */
  async add(executor: Executor, message: Omit<ChatRow, 'sentAt'>): Promise<ChatRow> {
    const table = this.#table;
    const inScope = eq(table.scopeId, message.scopeId);
    const [newest] = await executor
      .select({ sentAt: table.sentAt })
      .from(table)
      .where(inScope)
      .orderBy(desc(table.sentAt))
      .limit(1);
    const row = { ...message, sentAt: new Date(Math.max(Date.now(), (newest?.sentAt.getTime() ?? 0) + 1)) };
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

  /** Oldest first. @param before the id of a stored message; returns those before it */
  async read(scopeId: string, limit: number, before?: string): Promise<ChatRow[]> {
    const table = this.#table;
    const inScope = eq(table.scopeId, scopeId);
    const first = this.#db
      .select({ sentAt: table.sentAt })
      .from(table)
      .where(and(inScope, eq(table.id, before ?? '')));
    const rows = await this.#db
      .select()
      .from(table)
      .where(and(inScope, before ? lt(table.sentAt, sql`(${first})`) : undefined))
      .orderBy(desc(table.sentAt))
      .limit(limit);
    return rows.reverse();
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

  /** The room or stream has ended. */
  async clear(executor: Executor, scopeId: string): Promise<void> {
    await executor.delete(this.#table).where(eq(this.#table.scopeId, scopeId));
  }
}
