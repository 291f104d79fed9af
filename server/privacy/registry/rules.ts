import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Executor } from '../../../platform/database/Executor.ts';
import type { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { discarded } from '../../files/FileService.ts';
import type { ErasureRule, ExportRule, Person, RetentionRule, Subject } from './TableData.ts';

/** The number of rows that one transaction removes or changes. */
export const batch = 500;

/** Selects a batch of rows, and locks them. @param locks false to select also those that others have locked, without locking any */
export const rowsOf = (table: PgTable, where: SQL, columns: SQL = sql`ctid`, locks = true): SQL =>
  sql`SELECT ${columns} FROM ${table} WHERE ${where} LIMIT ${sql.raw(String(batch))}
    ${locks ? sql`FOR UPDATE SKIP LOCKED` : sql``}`;

/** Removes rows with a time before the limit. @param also a further condition */
export const older = (setting: RetentionRule['setting'], column: PgColumn, also?: SQL): RetentionRule => ({
  setting,
  find: (before) =>
    rowsOf(
      column.table,
      sql`${column} < ${before.toISOString()}::timestamptz${also ? sql` AND ${also}` : sql``}`,
    ),
});

/** Deletes the rows of a person. */
export const deletes = (table: PgTable, where: (person: Person) => SQL): ErasureRule => ({
  find: (person, locks) => rowsOf(table, where(person), undefined, locks),
});

/** Empties columns of rows of a person. @param where must not be true of a row that is already empty */
export const empties = (table: PgTable, where: (person: Person) => SQL, set: SQL): ErasureRule => ({
  find: (person, locks) => rowsOf(table, where(person), undefined, locks),
  erase: async (tx, rows) =>
    void (await tx.execute(sql`UPDATE ${table} SET ${set} WHERE ctid = ANY(${ctidsOf(rows)})`)),
});

/**
 * Whether the `wallet` of a row is the person, also under the name of the account: archives have it, and what an account writes in a room
 * before a wallet is linked to it.
 */
export const isParty = ({ accountId, party }: Subject): SQL =>
  sql`wallet IN (${party}, ${`account:${accountId}`})`;

export const ctidsOf = (rows: Record<string, unknown>[]): SQL =>
  sql`${sql.param(rows.map(({ ctid }) => ctid))}::tid[]`;

/** Exports the rows of a person. @param without columns with secrets, or with what the person must not see */
export const exported = (
  file: string,
  table: PgTable,
  where: (person: Subject) => SQL,
  without: string[] = [],
): ExportRule => ({
  file,
  rows: (person) =>
    sql`SELECT to_jsonb(t) - ${sql.param(without)}::text[] AS row FROM ${table} t WHERE ${where(person)}`,
});

/** The values of a column, without null. */
export const valuesOf = (rows: Record<string, unknown>[], name: string): string[] =>
  rows.map((row) => row[name]).filter((value): value is string => typeof value === 'string');

/** Hides files, and has their bytes deleted after the commit. */
export async function discardFiles(tx: Executor, jobs: ScheduledJobs, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await tx.execute<{ id: string }>(sql`
    UPDATE files SET discarded_at = now() WHERE id = ANY(${sql.param(ids)}::text[]) AND discarded_at IS NULL
    RETURNING id`);
  await jobs.setAll(
    tx,
    discarded,
    rows.map(({ id }) => id),
    new Date(),
  );
}
