import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deferred } from '../../test/load/deferred.ts';
import { CleanUp, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { openDatabase, type OpenDatabase } from './database.ts';
import type { Executor } from './Executor.ts';
import { inGroups, SharedTransactions } from './SharedTransactions.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;
let shared: SharedTransactions;
/** The number of rows that each statement of insert() has inserted. */
let inserted: number[];

beforeAll(async () => {
  const dataDir = await cleanUp.temporaryFolder();
  await copyDatabaseTemplate(dataDir);
  database = await openDatabase({ dataDir, logger: silent });
  await database.db.execute(sql`CREATE TABLE shared (name text PRIMARY KEY, tx text NOT NULL)`);
});
afterAll(async () => {
  await database?.close();
  await cleanUp.run();
});
beforeEach(async () => {
  await database.db.execute(sql`TRUNCATE shared`);
  shared = new SharedTransactions(database.db);
  inserted = [];
});

const insert = inGroups(async (tx: Executor, names: string[]) => {
  inserted.push(names.length);
  const { rows } = await tx.execute<{ name: string; tx: string }>(sql`
    INSERT INTO shared SELECT name, pg_current_xact_id()::text FROM unnest(${sql.param(names)}::text[]) AS name
    ON CONFLICT DO NOTHING RETURNING name, tx`);
  const byName = new Map(rows.map((row) => [row.name, row.tx]));
  return names.map((name) => byName.get(name));
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `work ${index}`);

async function stored(): Promise<string[]> {
  const { rows } = await database.db.execute<{ name: string }>(sql`SELECT name FROM shared ORDER BY name`);
  return rows.map(({ name }) => name);
}

test('runs works that arrive together in one transaction, with one statement for all', async () => {
  const transactions = await Promise.all(names(20).map((name) => shared.run((tx) => insert(tx, name))));
  expect(new Set(transactions).size).toBe(1);
  expect(inserted).toEqual([20]);
});

test('collects the works that arrive during a transaction for the next one', async () => {
  const first = shared.run((tx) => insert(tx, 'first'));
  await new Promise(setImmediate);
  const others = await Promise.all(names(5).map((name) => shared.run((tx) => insert(tx, name))));
  expect(new Set(others)).toEqual(new Set([others[0]]));
  expect(others[0]).not.toBe(await first);
  expect(inserted).toEqual([1, 5]);
});

test('commits the others when works fail, and gives each its own error', async () => {
  const settled = await Promise.allSettled(
    names(10).map((name, index) =>
      shared.run(async (tx) => {
        await insert(tx, name);
        if (index % 3 === 0) throw new Error(`${name} was refused`);
        return name;
      }),
    ),
  );
  expect(settled.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))).toEqual(
    names(10).map((name, index) => (index % 3 === 0 ? `Error: ${name} was refused` : name)),
  );
  expect(await stored()).toEqual(names(10).filter((_, index) => index % 3 !== 0));
});

test('commits the others when a statement fails', async () => {
  const works = names(6).map((name, index) =>
    shared.run(async (tx) => {
      await insert(tx, name);
      if (index === 2) await tx.execute(sql`SELECT 1 / 0`);
    }),
  );
  const settled = await Promise.allSettled(works);
  expect(settled.map(({ status }) => status === 'rejected')).toEqual(names(6).map((_, index) => index === 2));
  expect(await stored()).toEqual(names(6).filter((_, index) => index !== 2));
});

test('a lock that is held elsewhere delays only the work that waits for it', async () => {
  const key = sql`SELECT pg_advisory_xact_lock(7)`;
  let release = () => {};
  const isHeld = deferred<undefined>();
  const holder = database.db.transaction(async (tx) => {
    await tx.execute(key);
    isHeld.resolve(undefined);
    await new Promise<void>((resolve) => (release = resolve));
  });
  await isHeld.promise;
  let hasWaited = false;
  const [waiting, ...others] = names(4).map((name, index) =>
    shared.run(async (tx) => {
      if (index === 0) await tx.execute(key);
      await insert(tx, name);
    }),
  );
  const late = waiting?.then(() => (hasWaited = true));
  await Promise.all(others);
  expect(hasWaited).toBe(false);
  expect(await stored()).toEqual(names(4).slice(1));
  release();
  await Promise.all([holder, late]);
  expect(await stored()).toEqual(names(4));
});
