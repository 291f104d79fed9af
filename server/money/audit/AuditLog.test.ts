import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { CleanUp, silent } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../../test/harness/until.ts';
import { AuditLog } from './AuditLog.ts';
import type { NewAuditRow } from './tables.ts';

const suite = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(suite);
});
afterAll(() => suite.run());

it('stores a request once if the answer of the database is lost', async () => {
  const { db } = database;
  let lost = 0;
  const pool = {
    query: async (config: pg.QueryConfig) => {
      const result = await database.pool.query(config);
      if (lost++ === 0) throw new Error('Connection terminated unexpectedly');
      return result;
    },
  } as unknown as pg.Pool;
  const audit = new AuditLog({ db, pool, log: silent });
  const request = (path: string): NewAuditRow => ({
    accountId: null,
    at: new Date(),
    actorType: 'x402',
    action: 'request',
    path,
  });
  audit.requested(request('/first'));
  await until(() => lost === 1, 'the first attempt is stored, and its answer is lost');
  audit.requested(request('/second'));
  await audit.close();
  const { rows } = await database.pool.query('SELECT path FROM audit_log ORDER BY path');
  expect(rows).toEqual([{ path: '/first' }, { path: '/second' }]);
});
