import { sql } from 'drizzle-orm';
import { onlyKey } from '../../platform/keys.ts';
import { seal, unseal } from '../../platform/seal.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { sealedColumns, type SealedColumn } from './sealedColumns.ts';

export interface SealedAnew {
  changed: number;
  /** Values that none of the keys opens. They are left as they are. */
  unreadable: number;
}

const batchSize = 200;

/**
 * Seals every value with the key in use that is still sealed with the one before it. A value that changes in the meantime is left alone. An
 * interrupted run is simply repeated.
 * @param onProgress called after each batch, with the values changed so far
 */
export async function sealAnew(
  db: Database,
  secrets: Secrets,
  onProgress: (changed: number) => void,
): Promise<SealedAnew> {
  const sum: SealedAnew = { changed: 0, unreadable: 0 };
  for (const column of sealedColumns) {
    let after: string[] | null = null;
    for (;;) {
      const rows: SealedRow[] = await readBatch(db, column, after);
      for (const row of rows) {
        const fresh = freshValue(row, column, secrets);
        if (fresh === 'unreadable') sum.unreadable++;
        else if (fresh && (await replace(db, column, row, fresh))) sum.changed++;
      }
      onProgress(sum.changed);
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = last.key;
    }
  }
  return sum;
}

interface SealedRow extends Record<string, unknown> {
  key: string[];
  value: Buffer;
}

async function readBatch(db: Database, column: SealedColumn, after: string[] | null): Promise<SealedRow[]> {
  const key = keyOf(column);
  const value = sql.identifier(column.column);
  const later = after && sql`AND (${key}) > (${valuesOf(after)})`;
  const { rows } = await db.execute<SealedRow>(sql`
    SELECT ARRAY[${key}]::text[] AS key, ${value} AS value FROM ${sql.identifier(column.table)}
    WHERE ${value} IS NOT NULL ${later ?? sql``} ORDER BY ${key} LIMIT ${batchSize}`);
  return rows;
}

/** @returns null if the value is already sealed with the key in use */
function freshValue({ key, value }: SealedRow, column: SealedColumn, secrets: Secrets) {
  const [place, keys] = [column.place(...key), secrets.keys(column.purpose)];
  try {
    unseal(value, onlyKey(keys()[0]), place);
    return null;
  } catch {
    // It is sealed with another key.
  }
  try {
    return seal(unseal(value, keys, place), keys, place);
  } catch {
    return 'unreadable';
  }
}

async function replace(db: Database, column: SealedColumn, row: SealedRow, fresh: Buffer): Promise<boolean> {
  const value = sql.identifier(column.column);
  const { rowCount } = await db.execute(sql`
    UPDATE ${sql.identifier(column.table)} SET ${value} = ${fresh}
    WHERE (${keyOf(column)}) = (${valuesOf(row.key)}) AND ${value} = ${row.value}`);
  return rowCount === 1;
}

const keyOf = ({ key }: SealedColumn) =>
  sql.join(
    key.map((name) => sql.identifier(name)),
    sql`, `,
  );

const valuesOf = (key: string[]) =>
  sql.join(
    key.map((value) => sql`${value}`),
    sql`, `,
  );
