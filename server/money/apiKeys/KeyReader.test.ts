import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { KeyReader } from './KeyReader.ts';
import { hashSecret, newSecret } from './secret.ts';

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
