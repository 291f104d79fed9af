import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { CleanUp } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { pagesOf } from './personRows.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

/** Connections with these time limits, in milliseconds. */
const impatient = (limits: { statement: number; idle: number }) =>
  ({
    async connect() {
      const client = await database.pool.connect();
      await client.query(
        `SET statement_timeout = ${limits.statement}; SET idle_in_transaction_session_timeout = ${limits.idle}`,
      );
      return client;
    },
  }) as unknown as pg.Pool;

it('reads a list longer than requests may take, for a reader that is slow', async () => {
  const slow = sql`SELECT n, pg_sleep(CASE n WHEN 1 THEN 0.3 ELSE 0 END) FROM generate_series(1, 600) AS n`;
  const sizes: number[] = [];
  for await (const page of pagesOf(impatient({ statement: 100, idle: 100 }), slow)) {
    sizes.push(page.length);
    await delay(300);
  }
  expect(sizes).toEqual([500, 100]);
});
