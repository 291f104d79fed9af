import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { CleanUp } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../../test/harness/until.ts';
import { KeyReader } from './KeyReader.ts';
import { hashSecret, newSecret } from './secret.ts';

const suite = new CleanUp();
afterAll(() => suite.run());

it('writes the use of a key whose earlier use was dropped during a failure of the database', async () => {
  const pepper = randomBytes(32);
  let [isReadOnly, written] = [true, new Set<string>()];
  const pool = {
    query: (query: string | pg.QueryArrayConfig, values?: [string[]]) => {
      if (typeof query !== 'string') {
        const [hashes] = query.values as [string[]];
        const rest = ['{}', null, null, null, 'acc', null, null, '0', '0', '', '', null];
        return Promise.resolve({ rows: hashes.map((hash) => [`key_${hash}`, 'svc_live_', ...rest, hash]) });
      }
      if (isReadOnly) return Promise.reject(Object.assign(new Error('read-only'), { code: '25006' }));
      written = new Set([...written, ...(values?.[0] ?? [])]);
      return Promise.resolve({ rows: [] });
    },
  } as unknown as pg.Pool;
  const reader = new KeyReader({ pool, pepper, log: pino({ level: 'silent' }) });
  // More than are kept: the uses that come first are dropped.
  const secrets = Array.from({ length: 10_600 }, newSecret);
  const [first = ''] = secrets;
  for (let at = 0; at < secrets.length; at += 100)
    await Promise.all(secrets.slice(at, at + 100).map((secret) => reader.authenticate(secret, '127.0.0.1')));
  await reader.close();
  isReadOnly = false;
  await reader.authenticate(first, '127.0.0.1');
  await reader.close();
  expect(written.has(`key_${hashSecret(first, pepper)}`)).toBe(true);
});

it('writes the uses of the same keys on two nodes without a deadlock', async () => {
  const { pool } = await openTestDatabase(suite);
  const pepper = randomBytes(32);
  const secrets = Array.from({ length: 3 }, newSecret);
  await pool.query(`INSERT INTO accounts (id, publishable_key) VALUES ('acc', 'pk')`);
  // With many keys, PostgreSQL looks each one up by its id.
  await pool.query(
    `INSERT INTO api_keys (id, account_id, name, prefix, hash, last4, created_by, scopes)
     SELECT 'key_' || n, 'acc', '', n, coalesce(($1::text[])[n], n::text), '', '', '{}' FROM generate_series(1, 20000) n`,
    [secrets.map((secret) => hashSecret(secret, pepper))],
  );
  await pool.query('ANALYZE api_keys');
  const errors: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void errors.push(line) });
  const [one, other] = [new KeyReader({ pool, pepper, log }), new KeyReader({ pool, pepper, log })];
  const holder = await pool.connect();
  await holder.query(`BEGIN; SELECT FROM api_keys WHERE id = 'key_2' FOR UPDATE`);
  for (const secret of secrets) await one.authenticate(secret, '127.0.0.1');
  for (const secret of secrets.toReversed()) await other.authenticate(secret, '127.0.0.1');
  const closed = Promise.all([one.close(), other.close()]);
  await until(async () => {
    const { rowCount } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%last_used_at%'`,
    );
    return rowCount === 2;
  }, 'both write');
  await holder.query('COMMIT');
  holder.release();
  await closed;
  expect(errors).toEqual([]);
  const { rowCount } = await pool.query('SELECT FROM api_keys WHERE last_used_at IS NOT NULL');
  expect(rowCount).toBe(3);
});
