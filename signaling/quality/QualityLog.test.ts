import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../platform/database/database.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { failingFirstInsert } from '../../test/harness/nodes/failingFirstInsert.ts';
import { openTestDatabase } from '../../test/harness/nodes/openTestDatabase.ts';
import { QualityLog } from './QualityLog.ts';
import { qualityLog } from './tables.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

it('stores a row once whose first answer was lost', async () => {
  const db = failingFirstInsert(database.db);
  const rows = new QualityLog({ db, cluster: { usageOf: () => null }, log: pino({ level: 'silent' }) });
  rows.left('call_a', '0xa');
  await rows.close();
  rows.left('call_a', '0xb');
  await rows.close();
  const stored = await database.db.select().from(qualityLog);
  expect(stored.map(({ party }) => party).sort()).toEqual(['0xa', '0xb']);
});
