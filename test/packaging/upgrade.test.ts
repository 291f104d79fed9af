import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmbeddedPostgres } from '../../platform/embeddedPostgres/EmbeddedPostgres.ts';
import { Parley } from '../../sdk/src/index.ts';
import { copyDatabaseTemplate } from '../harness/nodes/databaseTemplate.ts';
import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { api } from '../integration/money/accountSupport.ts';
import { releasesFolder, SECRET_KEY, see, type Release } from './Release.ts';

/* Upgrades from releases, whose databases keepRelease.ts has kept. */

const names = readdirSync(releasesFolder).flatMap((file) => /^(.*)\.sql$/.exec(file)?.[1] ?? []);

let dataDir: string;
let postgres: EmbeddedPostgres;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-upgrade-'));
  await copyDatabaseTemplate(dataDir);
  postgres = await EmbeddedPostgres.start({ dataDir, logger: pino({ level: 'silent' }), onLost: () => {} });
});
afterAll(async () => {
  await postgres?.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function query<Row extends pg.QueryResultRow>(
  connectionString: string,
  ...statements: string[]
): Promise<Row[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

it.each(names)('keeps the sessions, keys, words and credits of %s', async (name) => {
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  const read = (file: string) => readFile(join(releasesFolder, file), 'utf8');
  const release = JSON.parse(await read(`${name}.json`)) as Release;
  await query(postgres.url, `CREATE DATABASE "${name}"`);
  // The file is older than a session may become, and than a room may wait for its first participant.
  const renewed = [
    "UPDATE public.refresh_tokens SET expires_at = now() + interval '1 day'",
    "UPDATE public.due SET due_at = now() + interval '1 day' WHERE kind = 'conference.empty'",
  ];
  await query(url.href, await read(`${name}.sql`), ...renewed);
  const migrations = 'SELECT hash FROM drizzle.__drizzle_migrations ORDER BY id';
  const before = await query<{ hash: string }>(url.href, migrations);

  const server = await ServerProcess.start({ DATABASE_URL: url.href, SECRET_KEY });
  try {
    // Migrations are only added, never edited.
    const current = await query<{ hash: string }>(postgres.url, migrations);
    expect(current.slice(0, before.length)).toEqual(before);
    expect(await query(url.href, migrations)).toEqual(current);
    // The flags of a conversation say of its old messages who has written.
    const wrote = (column: string, order: string) => `${column} = EXISTS (SELECT FROM wallet_messages m
      WHERE m.conversation = c.id AND NOT m.blocked AND m.recipient NOT LIKE 'grp\\_%' AND m.sender ${order} m.recipient COLLATE "C")`;
    const flags = `SELECT count(*)::int AS all, count(*) FILTER (WHERE ${wrote('first_wrote', '<')} AND ${wrote('second_wrote', '>')})::int AS right
      FROM conversations c`;
    const [{ all, right } = { all: 0, right: 0 }] = await query<{ all: number; right: number }>(
      url.href,
      flags,
    );
    expect(right).toBe(all);

    const { refreshToken } = release;
    const refreshed = await api(server.url, 'POST', '/auth/refresh', {}, { refreshToken });
    expect(refreshed.status).toBe(200);
    const { token } = refreshed.body as { token: string };
    const person = new Parley({ apiKey: '', baseUrl: server.url, getToken: () => Promise.resolve(token) });
    try {
      expect(await see(person, server.url, release)).toMatchObject(release.seen);
    } finally {
      person.close();
    }
  } finally {
    await server.dispose();
  }
});
