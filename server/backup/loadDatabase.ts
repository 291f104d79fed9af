import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrationsOf } from './catalog.ts';
import type { Manifest } from './manifest.ts';

/**
 * Loads the tables of a backup into an empty database, in one transaction: until finish(), nobody else sees anything of it, and an
 * interruption leaves nothing.
 */
export class DatabaseLoader {
  readonly #client: pg.Client;
  readonly #manifest: Manifest;
  #open: { name: string; rows: ReturnType<typeof copyFrom> } | null = null;
  readonly #loaded = new Map<string, number>();

  /** Creates the tables as the migrations of the backup did. The server applies later migrations when it starts. */
  static async start(client: pg.Client, manifest: Manifest): Promise<DatabaseLoader> {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0');
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
    // Migrations also insert rows.
    await client.query(`TRUNCATE ${manifest.tables.map(({ name }) => name).join(', ')}`);
    const loader = new DatabaseLoader(client, manifest);
    // What they compute from rows is in the backup too.
    await loader.#setTriggers('DISABLE');
    return loader;
  }

  private constructor(client: pg.Client, manifest: Manifest) {
    this.#client = client;
    this.#manifest = manifest;
  }

  /** Loads the next rows of a table. The tables come in the order of the manifest. */
  async add(name: string, content: AsyncIterable<Buffer>): Promise<void> {
    if (this.#open?.name !== name) {
      await this.#endTable();
      const table = this.#manifest.tables.find((one) => one.name === name);
      if (!table) throw new Error(`The manifest does not list the table ${name}.`);
      const rows = this.#client.query(copyFrom(`COPY ${name} (${table.columns.join(', ')}) FROM STDIN`));
      // The error is thrown by the write or the end that follows.
      rows.on('error', () => {});
      this.#open = { name, rows };
    }
    const { rows } = this.#open;
    for await (const chunk of content) {
      if (rows.errored) throw rows.errored;
      if (!rows.write(chunk)) await once(rows, 'drain');
    }
  }

  /** Sets the sequences and commits. @throws Error if a table has other rows than the manifest says */
  async finish(): Promise<void> {
    await this.#endTable();
    for (const { name, rows } of this.#manifest.tables) {
      const loaded = this.#loaded.get(name) ?? 0;
      if (loaded !== rows) throw new Error(`${name} has ${loaded} rows instead of ${rows}.`);
    }
    for (const { name, lastValue, isCalled } of this.#manifest.sequences)
      await this.#client.query('SELECT setval($1::regclass, $2, $3)', [name, lastValue, isCalled]);
    await this.#setTriggers('ENABLE');
    await this.#client.query('COMMIT');
    await this.#client.query('ANALYZE');
  }

  /** Switches the triggers of all tables, but not those of their foreign keys. */
  async #setTriggers(to: 'DISABLE' | 'ENABLE'): Promise<void> {
    for (const { name } of this.#manifest.tables)
      await this.#client.query(`ALTER TABLE ${name} ${to} TRIGGER USER`);
  }

  async #endTable(): Promise<void> {
    if (!this.#open) return;
    const { name, rows } = this.#open;
    this.#open = null;
    rows.end();
    await finished(rows);
    this.#loaded.set(name, rows.rowCount);
  }
}
