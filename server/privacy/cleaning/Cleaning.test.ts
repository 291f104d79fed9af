import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { CleanUp, silent } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { Cleaning } from './Cleaning.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

/** The files of all tables. A table that is rewritten gets another one. */
async function filesOfTables(): Promise<unknown> {
  const { rows } = await database.pool.query(
    "SELECT relname, relfilenode FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname",
  );
  return rows;
}

it('rewrites no table while the disk has no room for a second copy of the largest one', async () => {
  const { pool, db } = database;
  let run = () => Promise.resolve();
  const jobs = { on: (_kind: string, handler: typeof run) => void (run = handler) };
  const asked: number[] = [];
  let room = 0;
  const hasRoomFor = (bytes: number) => Promise.resolve(asked.push(bytes) > 0 && bytes <= room);
  new Cleaning({ pool, jobs, hour: 3, hasRoomFor, log: silent } as never);
  await db.execute("INSERT INTO used_nonces SELECT 'nonce' || n, now() FROM generate_series(1, 5000) AS n");
  const before = await filesOfTables();
  await expect(run()).rejects.toThrow('no room for a second copy of the table used_nonces');
  expect(await filesOfTables()).toEqual(before);
  room = asked[0] ?? 0;
  await run();
  expect(await filesOfTables()).not.toEqual(before);
});
