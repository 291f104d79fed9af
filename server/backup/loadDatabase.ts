import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { CommandError } from '../../platform/CommandError.ts';
import { liftTimeLimits } from '../../platform/database/liftTimeLimits.ts';
import { migrationsOf, readTables, type Table } from './catalog.ts';
import type { Manifest } from './manifest.ts';

/**
 * Loads the tables of a backup into an empty database, in one transaction: until finish(), nobody else sees anything of it, and an
 * interruption leaves nothing.
 */
export class DatabaseLoader {
  /** The tables of the backup that the migrations do not create. The operator, or another program, has added them. */
  readonly otherTables: string[];
  readonly #client: pg.Client;
  readonly #manifest: Manifest;
  /** The tables to load, by name. Names and columns in SQL are from here, not from the archive, which somebody may have changed. */
  readonly #tables: Map<string, Table>;
  #open: { name: string; rows: ReturnType<typeof copyFrom>; failure: Error | null } | null = null;
  readonly #loaded = new Map<string, number>();

  /** Creates the tables as the migrations of the backup did. The server applies later migrations when it starts. */
  static async start(client: pg.Client, manifest: Manifest): Promise<DatabaseLoader> {
    await liftTimeLimits(client);
    await client.query('BEGIN');
    await client.query('CREATE SCHEMA IF NOT EXISTS drizzle');
    // As drizzle's migrator creates it.
    await client.query(
      'CREATE TABLE drizzle.__drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint)',
    );
    for (const { sql, hash, folderMillis } of migrationsOf(manifest.head)) {
      for (const statement of sql) await client.query(statement);
      await client.query('INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)', [
        hash,
        folderMillis,
      ]);
    }
    const created = await readTables(client);
    // Migrations also insert rows.
    await client.query(`TRUNCATE ${created.map(({ name }) => name).join(', ')}`);
    const loader = new DatabaseLoader(client, manifest, created);
    // What they compute from rows is in the backup too.
    await loader.#setTriggers('DISABLE');
    return loader;
  }

  private constructor(client: pg.Client, manifest: Manifest, created: Table[]) {
    this.#client = client;
    this.#manifest = manifest;
    this.#tables = new Map(created.map((table) => [table.name, table]));
    this.otherTables = manifest.tables.map(({ name }) => name).filter((name) => !this.#tables.has(name));
  }

  /** Loads the next rows of a table, unless it is one of `otherTables`. The tables come in the order of the manifest. */
  async add(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    if (this.#open?.name !== name) {
      await this.#endTable();
      if (this.otherTables.includes(name)) return;
      this.#open = this.#begin(name);
    }
    const open = this.#open;
    for await (const chunk of content) {
      // After an error, the stream has no connection to write to.
      if (open.failure) throw open.failure;
      if (!open.rows.write(chunk)) await once(open.rows, 'drain');
    }
  }

  #begin(name: string) {
    const listed = this.#manifest.tables.find((one) => one.name === name);
    const created = this.#tables.get(name);
    if (!listed || !created) throw new Error(`The manifest does not list the table ${name}.`);
    const others = listed.columns.filter((column) => !created.columns.includes(column));
    if (others.length > 0)
      throw new CommandError(
        `The table ${name} of the backup has columns that Parley does not create: ${others.join(', ')}. Drop them in the database that was backed up, and back it up again.`,
      );
    const rows = this.#client.query(copyFrom(`COPY ${name} (${listed.columns.join(', ')}) FROM STDIN`));
    const open = { name, rows, failure: null as Error | null };
    rows.on('error', (error) => (open.failure = error));
    return open;
  }

  /** Sets the sequences and commits. @throws Error if a table has other rows than the manifest says */
  async finish(): Promise<void> {
    await this.#endTable();
    for (const { name, rows } of this.#manifest.tables) {
      const loaded = this.#loaded.get(name) ?? 0;
      if (loaded !== rows && this.#tables.has(name))
        throw new Error(`${name} has ${loaded} rows instead of ${rows}.`);
    }
    // Those of other tables do not exist.
    for (const { name, lastValue, isCalled } of this.#manifest.sequences)
      await this.#client.query('SELECT setval(to_regclass($1), $2, $3)', [name, lastValue, isCalled]);
    await this.#setTriggers('ENABLE');
    await this.#client.query('COMMIT');
    // It only makes the first queries faster: PostgreSQL repeats it by itself.
    await this.#client.query('ANALYZE').catch(() => {});
  }

  /** Switches the triggers of all tables, but not those of their foreign keys. */
  async #setTriggers(to: 'DISABLE' | 'ENABLE'): Promise<void> {
    for (const name of this.#tables.keys())
      await this.#client.query(`ALTER TABLE ${name} ${to} TRIGGER USER`);
  }

  async #endTable(): Promise<void> {
    if (!this.#open) return;
    const { name, rows, failure } = this.#open;
    this.#open = null;
    if (failure) throw failure;
    rows.end();
    await finished(rows);
    this.#loaded.set(name, rows.rowCount);
  }
}
