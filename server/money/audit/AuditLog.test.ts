import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { copyDatabaseTemplate } from '../../../test/harness/nodes/databaseTemplate.ts';
import { CleanUp, silent } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../../test/harness/until.ts';
import { AuditLog } from './AuditLog.ts';
import type { NewAuditRow } from './tables.ts';

const suite = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  const dataDir = await suite.temporaryFolder();
  await copyDatabaseTemplate(dataDir);
  database = await openDatabase({ dataDir, logger: silent });
  suite.add(() => database.close());
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
  const audit = new AuditLog({ db, pool, log: pino({ level: 'silent' }) });
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
