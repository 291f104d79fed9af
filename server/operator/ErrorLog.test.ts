import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../platform/database/database.ts';
import { CleanUp } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { failingFirstInsert } from '../../test/harness/nodes/failingFirstInsert.ts';
import { openTestDatabase } from '../../test/harness/nodes/openTestDatabase.ts';
import { until } from '../../test/harness/until.ts';
import { ErrorLog } from './ErrorLog.ts';
import { recentErrors } from './tables.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

it('stores an error once whose first answer was lost', async () => {
  const errors = new ErrorLog();
  const log = pino({ level: 'silent' });
  errors.open({ db: failingFirstInsert(database.db), nodeId: () => 'node_a', log });
  const stored = async () => (await database.db.select().from(recentErrors)).map(({ message }) => message);
  errors.write(JSON.stringify({ level: 50, msg: 'one' }));
  await until(async () => (await stored()).length === 1, 'the first attempt has stored it');
  errors.write(JSON.stringify({ level: 50, msg: 'two' }));
  await errors.closeBatch();
  expect(await stored()).toEqual(['one', 'two']);
});

it('stores lines without the NUL characters that PostgreSQL refuses', async () => {
  const errors = new ErrorLog();
  errors.open({ db: database.db, nodeId: () => 'node_b', log: pino({ level: 'silent' }) });
  const err = { type: 'Error', message: 'no file "a\0b"' };
  errors.write(JSON.stringify({ level: 50, msg: 'odd\0 name', requestId: 'req\0_1', err }));
  await errors.closeBatch();
  const { data } = await errors.list({ requestId: 'req_1' });
  expect(data).toMatchObject([{ message: 'odd name', error: 'Error: no file "ab"' }]);
});
