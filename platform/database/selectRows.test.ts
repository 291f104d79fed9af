import { sql } from 'drizzle-orm';
import { bigint, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CleanUp, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { bytes, moment } from './columns.ts';
import { openDatabase, type OpenDatabase } from './database.ts';
import { selectRows } from './selectRows.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

const things = pgTable('things', {
  id: text().primaryKey(),
  seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
  place: text().notNull().default('here'),
  list: jsonb().$type<string[]>().notNull(),
  data: bytes(),
  note: text(),
  at: moment().notNull().defaultNow(),
});

beforeAll(async () => {
  const dataDir = await cleanUp.temporaryFolder();
  await copyDatabaseTemplate(dataDir);
  database = await openDatabase({ dataDir, logger: silent });
  await database.db.execute(sql`
    CREATE TABLE things (id text PRIMARY KEY, seq bigint GENERATED ALWAYS AS IDENTITY, place text NOT NULL DEFAULT 'here',
      list jsonb NOT NULL, data bytea, note text, at timestamptz(3) NOT NULL DEFAULT now())`);
});
afterAll(async () => {
  await database?.close();
  await cleanUp.run();
});

test('inserts rows in their order, with the defaults of columns that no row has', async () => {
  const { db } = database;
  const at = new Date('2026-01-02T03:04:05.678Z');
  const rows = [
    { id: 'c', seq: 1, list: ['a', '"quoted"', 'NULL'], data: Buffer.from([0, 255]), note: null, at },
    { id: 'a', seq: 2, list: [], note: 'a {note}, with "quotes"', at },
    { id: 'b', seq: 3, list: ['ж'], data: Buffer.alloc(0), at },
  ];
  const stored = await db.insert(things).select(selectRows(things, rows)).returning();
  expect(stored.sort((one, other) => one.seq - other.seq)).toEqual([
    { ...rows[0], place: 'here' },
    { ...rows[1], place: 'here', data: null },
    { ...rows[2], place: 'here', note: null },
  ]);
});

test('evaluates an expression for each row', async () => {
  const rows = [
    { id: 'x', list: [] },
    { id: 'y', list: [] },
  ];
  const next = sql<number>`nextval(pg_get_serial_sequence('things', 'seq'))`;
  const stored = await database.db
    .insert(things)
    .select(selectRows(things, rows, { seq: next, note: sql`random()::text` }))
    .returning({ note: things.note, at: things.at });
  expect(new Set(stored.map(({ note }) => note)).size).toBe(2);
  expect(stored.every(({ at }) => Math.abs(Date.now() - at.getTime()) < 60_000)).toBe(true);
});
