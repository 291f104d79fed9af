import { and, desc, eq, gte, lt, sql, type SQL } from 'drizzle-orm';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { AuditAction, WireAuditRow } from '../../../sdk/protocol/apiKeys.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import type { Page } from '../../../sdk/protocol/http.ts';
import type { Executor } from '../../../platform/database/Executor.ts';
import { Batch } from '../../../platform/Batch.ts';
import type { Database } from '../../../platform/database/database.ts';
import { toPage, type PageRequest } from '../../http/paging.ts';
import { auditLog, noSessionRead, type NewAuditRow } from './tables.ts';
import { toAuditRow } from './toWire.ts';

interface AuditFilter extends PageRequest {
  keyPrefix?: string | undefined;
  action?: AuditAction | undefined;
  hide?: 'session_reads' | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

type RequestRow = NewAuditRow & { id: string };

/**
 * The audit log. Rows about changes are written in the transaction of the change. Rows about requests are collected for up to a second and
 * written together, because writing one row per read request would cost more than the read itself.
 */
export class AuditLog {
  readonly #db: Database;
  readonly #requests: Batch<RequestRow>;

  constructor({ db, pool, log }: { db: Database; pool: pg.Pool; log: Logger }) {
    this.#db = db;
    this.#requests = new Batch({
      name: 'audit log',
      everyMs: 1_000,
      size: 500,
      limit: 50_000,
      write: (rows, mayBeStored) => insertMany(pool, rows, mayBeStored),
      log,
    });
  }

  /** Writes rows in the transaction of the change they describe. */
  async write(executor: Executor, ...rows: NewAuditRow[]): Promise<void> {
    await executor
      .insert(auditLog)
      .values(rows.map((row) => ({ id: newId('aud'), ...row, path: shown(row) })));
  }

  /** Adds the row of a request, which is written within a second. */
  requested(row: NewAuditRow): void {
    this.#requests.add({ ...row, id: newId('aud') });
  }

  async list(
    accountId: string,
    { keyPrefix, action, hide, from, to, ...page }: AuditFilter,
  ): Promise<Page<WireAuditRow>> {
    const hasTimes = Boolean(from ?? to);
    const wanted: (SQL | undefined)[] = [
      eq(auditLog.accountId, accountId),
      keyPrefix === undefined ? undefined : eq(auditLog.actorPrefix, keyPrefix),
      action && eq(auditLog.action, action),
      hide && noSessionRead,
      from && gte(auditLog.at, from),
      to && lt(auditLog.at, to),
      page.before === null ? undefined : afterRow(page.before, hasTimes),
    ];
    const rows = await this.#db
      .select()
      .from(auditLog)
      .where(and(...wanted))
      // The order follows the index that the filter needs: with another one, PostgreSQL would read all rows that are newer than the period.
      .orderBy(...(hasTimes ? [desc(auditLog.at)] : []), desc(auditLog.seq))
      .limit(page.limit + 1);
    return toPage(rows, page.limit, toAuditRow);
  }

  close(): Promise<void> {
    return this.#requests.close();
  }
}

/**
 * The maximum length of a path in the log. A request's path may be up to 16 KB long, but all paths of routes are shorter than this limit.
 */
const longestPath = 200;

const shown = ({ path }: NewAuditRow) => path?.slice(0, longestPath) ?? null;

/** The condition for the rows after this one in the list. */
const afterRow = (seq: number, isByTime: boolean): SQL =>
  isByTime
    ? sql`(${auditLog.at}, ${auditLog.seq}) < (SELECT at, seq FROM audit_log WHERE seq = ${seq})`
    : lt(auditLog.seq, seq);

const notStored = `WHERE NOT EXISTS (SELECT FROM audit_log stored WHERE stored.at >= $18::timestamptz AND stored.id = given.id)`;

/**
 * Inserts many rows with one array parameter per column. One parameter per value would be 8,000 parameters for 500 rows.
 * @param mayBeStored leaves out rows that are stored already. The log has no unique index on the id, which each insert would have to update
 */
async function insertMany(pool: pg.Pool, rows: RequestRow[], mayBeStored: boolean): Promise<void> {
  const column = <Value>(read: (row: RequestRow) => Value) => rows.map(read);
  const oldest = mayBeStored ? [new Date(Math.min(...column(({ at }) => at.getTime())))] : [];
  await pool.query({
    name: mayBeStored ? 'insert audit rows again' : 'insert audit rows',
    text: `INSERT INTO audit_log (id, account_id, at, actor_type, actor_id, actor_prefix, action, method, path, status,
        request_id, ip, user_agent, service, units, credits, actor_payer)
      SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::int[], $11::text[], $12::text[], $13::text[], $14::text[], $15::int[], $16::int[],
        $17::text[]) AS given (id)
      ${mayBeStored ? notStored : ''}`,
    values: [
      column((row) => row.id),
      column((row) => row.accountId),
      column((row) => row.at),
      column((row) => row.actorType),
      column((row) => row.actorId),
      column((row) => row.actorPrefix),
      column((row) => row.action),
      column((row) => row.method),
      column(shown),
      column((row) => row.status),
      column((row) => row.requestId),
      column((row) => row.ip),
      column((row) => row.userAgent),
      column((row) => row.service),
      column((row) => row.units),
      column((row) => row.credits),
      column((row) => row.actorPayer ?? null),
      ...oldest,
    ],
  });
}
