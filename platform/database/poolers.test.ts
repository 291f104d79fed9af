import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CleanUp, query, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { PgBouncer } from '../../test/harness/services/PgBouncer.ts';
import type { EmbeddedPostgres } from '../embeddedPostgres/EmbeddedPostgres.ts';
import { openDatabase } from './database.ts';

/* DATABASE_URL names PgBouncer, as many hosts of PostgreSQL offer it. */

const suite = new CleanUp();
const cleanUp = new CleanUp();
let dataDir: string;
let server: EmbeddedPostgres;

beforeAll(async () => {
  dataDir = await suite.temporaryFolder();
  server = await suite.start(dataDir);
  await query(server, 'CREATE DATABASE pooled');
});
afterAll(() => suite.run());
afterEach(() => cleanUp.run());

async function open(mode: Parameters<typeof PgBouncer.start>[1]) {
  const bouncer = await PgBouncer.start(`${dataDir}/postgres`, mode);
  cleanUp.add(() => bouncer.close());
  const database = await openDatabase({ url: bouncer.url('pooled'), dataDir, logger: silent });
  cleanUp.add(() => database.close());
  return database;
}

it('is used in session mode, with the limits of each connection', async () => {
  const { pool, db } = await open('session');
  const limits = () =>
    pool.query(`SELECT current_setting('statement_timeout') AS statement, current_setting('jit') AS jit,
      current_setting('idle_in_transaction_session_timeout') AS idle`);
  const answers = await Promise.all(Array.from({ length: 5 }, limits));
  expect(pool.totalCount).toBe(5);
  for (const { rows } of answers) expect(rows).toEqual([{ statement: '30s', jit: 'off', idle: '4s' }]);
  expect(await db.transaction((tx) => tx.execute(sql`SELECT 1 AS one`))).toMatchObject({
    rows: [{ one: 1 }],
  });
});

it.each(['transaction', 'statement'] as const)('is refused in %s mode', async (mode) => {
  await expect(open(mode)).rejects.toThrow('DATABASE_URL: PgBouncer, or another pooler at this address');
});
