import { readMigrationFiles } from 'drizzle-orm/migrator';
import type pg from 'pg';
import { migrationsFolder } from '../../platform/database/database.ts';
import { CommandError } from '../../platform/CommandError.ts';
import { type Head, type Sequence } from './manifest.ts';

/* What the database consists of, read from PostgreSQL's catalog. */

export interface Table {
  /** Schema and name, quoted for SQL. */
  name: string;
  /** The names of its columns, quoted for SQL. */
  columns: string[];
}

/** The condition for relations of pg_class (`c`) that an extension has created. */
const isOfExtension = `EXISTS (SELECT 1 FROM pg_depend d
  WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

/** The tables of the schema public, except those of extensions, each after those that its foreign keys refer to. */
export async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; needs: string[] }>(`
    SELECT format('%I.%I', n.nspname, c.relname) AS name,
      ARRAY(SELECT quote_ident(attname) FROM pg_attribute
        WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns,
      ARRAY(SELECT format('%I.%I', fn.nspname, f.relname) FROM pg_constraint k
        JOIN pg_class f ON f.oid = k.confrelid JOIN pg_namespace fn ON fn.oid = f.relnamespace
        WHERE k.conrelid = c.oid AND k.contype = 'f' AND f.oid <> c.oid) AS needs
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname = 'public' AND NOT ${isOfExtension} ORDER BY 1`);
  const ordered: Table[] = [];
  let left = rows;
  while (left.length > 0) {
    const isLeft = new Set(left.map(({ name }) => name));
    const loadable = left.filter(({ needs }) => !needs.some((name) => isLeft.has(name)));
    if (loadable.length === 0)
      throw new Error(`These tables refer to each other in a circle: ${[...isLeft].join(', ')}.`);
    ordered.push(...loadable.map(({ name, columns }) => ({ name, columns })));
    left = left.filter((table) => !loadable.includes(table));
  }
  return ordered;
}

/** The sequences. They do not follow transactions, so a value may be higher than in the snapshot, but never lower. */
export async function readSequences(client: pg.Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, sequencename) AS name FROM pg_sequences WHERE schemaname = 'public' ORDER BY 1`,
  );
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const found = await client.query<{ lastValue: string; isCalled: boolean }>(
      `SELECT last_value AS "lastValue", is_called AS "isCalled" FROM ${name}`,
    );
    sequences.push({ name, lastValue: '1', isCalled: false, ...found.rows[0] });
  }
  return sequences;
}

/** The migrations of the database, oldest first. Empty if no server has started on it. */
export async function readMigrations(client: pg.Client): Promise<Head['migrations']> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS exists`,
  );
  if (!rows[0]?.exists) return [];
  const applied = await client.query<{ hash: string; created_at: string }>(
    'SELECT hash, created_at FROM drizzle.__drizzle_migrations ORDER BY created_at',
  );
  return applied.rows.map(({ hash, created_at }) => ({ hash, createdAt: Number(created_at) }));
}

/** Whether the database holds no tables, except those of extensions: a new database may have some. */
export async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p', 'S', 'v', 'm') AND n.nspname IN ('public', 'drizzle')
       AND NOT ${isOfExtension} LIMIT 1`,
  );
  return rows.length === 0;
}

/**
 * Returns the migrations of a backup as files of this release.
 * @throws {CommandError} if this release does not have one of them
 */
export function migrationsOf({ migrations, release }: Head) {
  const known = new Map(
    readMigrationFiles({ migrationsFolder }).map((file) => [file.folderMillis, file] as const),
  );
  return migrations.map(({ hash, createdAt }) => {
    const file = known.get(createdAt);
    if (file?.hash === hash) return file;
    throw new CommandError(
      file
        ? `The backup was written by a development version of Parley (${release}) with other migrations. Restore it with that version.`
        : `The backup was written by a newer release of Parley (${release}). Restore it with that release or a later one.`,
    );
  });
}
