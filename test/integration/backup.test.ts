import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { api, newCustomer, newKey, queryDatabase } from './accountSupport.ts';
import { bearer } from './support.ts';

/* The backup of docs/operating.md: stop the server, copy DATA_DIR, and start from the copy. */

let server: ServerProcess;
let elsewhere: string;
beforeAll(async () => {
  elsewhere = await mkdtemp(join(tmpdir(), 'parley-test-'));
  execFileSync('chmod', ['755', elsewhere]);
  server = await ServerProcess.start();
});
afterAll(async () => {
  await server?.dispose();
  await rm(elsewhere, { recursive: true, force: true });
});

it('brings a server back from a copy of its folder, keys and database with it', async () => {
  const customer = await newCustomer(server.url);
  const { secret } = await newKey(server.url, customer);
  await server.stop();
  // The commands of the docs.
  const archive = join(elsewhere, 'parley-backup.tar.gz');
  execFileSync('tar', ['-C', server.dataDir, '-czf', archive, '.']);
  const restored = join(elsewhere, 'data');
  await mkdir(restored);
  execFileSync('tar', ['-C', restored, '-xzpf', archive]);

  await server.start({ DATA_DIR: restored });
  const account = await api(server.url, 'GET', '/account', bearer(secret));
  expect([account.status, account.body.walletAddress]).toEqual([200, customer.wallet]);
  // The app's session is good too: secret.key came along.
  expect((await api(server.url, 'GET', '/account', customer.app)).status).toBe(200);
  expect(await queryDatabase({ dataDir: restored }, 'SELECT count(*) FROM accounts')).toEqual([
    { count: '1' },
  ]);
});

it('refuses, in a sentence, to use the database with another key', async () => {
  await server.stop();
  const starting = server.start({ SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015' });
  await expect(starting).rejects.toThrow('SECRET_KEY: this database was written with another key');
  expect(server.log).not.toMatch(/^ +at /m);
});
