import { Writable } from 'node:stream';
import { and, desc, eq, gte, lt, lte, sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Logger } from 'pino';
import { Batch } from '../../platform/Batch.ts';
import type { Database } from '../../platform/database/database.ts';
import { toIso } from '../../sdk/protocol/common.ts';
import type { Page } from '../../sdk/protocol/http.ts';
import type { operatorErrorsQuery, WireOperatorError } from '../../sdk/protocol/operator.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { recentErrors, type RecentErrorRow } from './tables.ts';

type NewError = Omit<RecentErrorRow, 'seq'>;

/** pino's numbers of the levels that are kept. */
const levels = new Map<unknown, RecentErrorRow['level']>([
  [40, 'warn'],
  [50, 'error'],
  [60, 'fatal'],
]);
const longest = 500;
/** A node in trouble may log thousands of lines a second. */
const keptPerSecond = 20;
const kept = 5_000;

/**
 * Keeps the latest warnings and errors of the logs of all nodes in the database, for the operator's page. It is a stream of log lines, from
 * which the logger has removed secrets already.
 */
export class ErrorLog extends Writable {
  #batch: Batch<NewError> | null = null;
  #db: Database | null = null;
  #nodeId = () => '';
  #second = 0;
  #inSecond = 0;

  constructor() {
    super({ decodeStrings: false });
  }

  /** Starts to write to the database. Lines from before are not kept. */
  open({ db, nodeId, log }: { db: Database; nodeId: () => string; log: Logger }): void {
    this.#db = db;
    this.#nodeId = nodeId;
    const write = (rows: NewError[], mayBeStored: boolean) => this.#store(db, rows, mayBeStored);
    // A failure to write is a line of the log as well. It is not kept again.
    this.#batch = new Batch({ name: 'recent errors', everyMs: 1_000, size: 100, limit: 500, write, log });
  }

  override _write(line: string | Buffer, _encoding: string, done: () => void): void {
    this.#keep(String(line));
    done();
  }

  /** Lists the latest ones of all nodes, the latest first. */
  async list({
    requestId,
    ...query
  }: z.output<typeof operatorErrorsQuery>): Promise<Page<WireOperatorError>> {
    const { limit, before } = pageRequest(query);
    const rows = await this.#opened
      .select()
      .from(recentErrors)
      .where(
        and(
          requestId === undefined ? undefined : eq(recentErrors.requestId, requestId),
          before === null ? undefined : lt(recentErrors.seq, before),
        ),
      )
      .orderBy(desc(recentErrors.seq))
      .limit(limit + 1);
    return toPage(rows, limit, ({ seq, at, ...row }) => ({ id: String(seq), at: toIso(at), ...row }));
  }

  async closeBatch(): Promise<void> {
    await this.#batch?.close();
    this.#batch = null;
  }

  get #opened(): Database {
    if (!this.#db) throw new Error('the error log is not open yet');
    return this.#db;
  }

  #keep(line: string): void {
    const second = Math.floor(Date.now() / 1_000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    if (!this.#batch || ++this.#inSecond > keptPerSecond) return;
    const entry = parse(line);
    const level = levels.get(entry.level);
    if (!level || entry.batch === 'recent errors') return;
    const { type = 'Error', message = '' } = entry.err ?? {};
    const requestId = entry.requestId ?? entry.req?.id;
    this.#batch.add({
      at: new Date(),
      nodeId: this.#nodeId(),
      level,
      message: storable(entry.msg ?? ''),
      requestId: requestId === undefined ? null : storable(requestId),
      error: entry.err ? storable(`${type}: ${message}`) : null,
    });
  }

  /** @param mayBeStored whether rows may be stored already, by an attempt whose answer was lost */
  async #store(db: Database, rows: NewError[], mayBeStored: boolean): Promise<void> {
    const oldest = new Date(Math.min(...rows.map(({ at }) => at.getTime())));
    const found = mayBeStored ? await db.select().from(recentErrors).where(gte(recentErrors.at, oldest)) : [];
    const stored = new Set(found.map(keyOf));
    const missing = rows.filter((row) => !stored.has(keyOf(row)));
    if (missing.length > 0) await db.insert(recentErrors).values(missing);
    const newest = db.select({ seq: sql<number>`max(seq)` }).from(recentErrors);
    await db.delete(recentErrors).where(lte(recentErrors.seq, sql`${newest} - ${kept}`));
  }
}

const keyOf = ({ nodeId, at, message, requestId }: NewError) =>
  `${nodeId} ${at.getTime()} ${requestId} ${message}`;

/** PostgreSQL refuses a NUL, and with it all rows of the batch. A text from outside, such as the name of a file, may have one. */
const storable = (text: string) => text.replaceAll('\0', '').slice(0, longest);

interface Entry {
  level?: number;
  msg?: string;
  requestId?: string;
  req?: { id?: string };
  err?: { type?: string; message?: string };
  /** Set by Batch. */
  batch?: string;
}

function parse(line: string): Entry {
  try {
    return JSON.parse(line) as Entry;
  } catch {
    return {};
  }
}
