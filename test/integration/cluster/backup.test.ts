import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksFor } from '../../docs/blocks.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { api, newCustomer, newKey, queryDatabase } from '../money/accountSupport.ts';
import { bearer, newWallet, signIn } from '../support.ts';

/* The backup of docs/guides/operator.md: stop the server, copy DATA_DIR, and start from the copy. */

const [backUp = '', restore = ''] = blocksFor('docs/guides/operator.md', 'backup.test.ts');

let server: ServerProcess;
let workDir: string;
beforeAll(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  execFileSync('chmod', ['755', workDir]);
  server = await ServerProcess.start();
});
afterAll(async () => {
  await server?.dispose();
  await rm(workDir, { recursive: true, force: true });
});

it('restores a server with its keys and database from a copy of its data directory', async () => {
  const customer = await newCustomer(server.url);
  const { secret } = await newKey(server.url, customer);
  await server.stop();
  const restored = join(workDir, 'data');
  const run = (script: string, DATA_DIR: string) =>
    execFileSync('bash', ['-euc', script], { cwd: workDir, env: { ...process.env, DATA_DIR } });
  run(backUp, server.dataDir);
  run(restore, restored);

  await server.start({ DATA_DIR: restored });
  const account = await api(server.url, 'GET', '/account', bearer(secret));
  expect([account.status, account.body.walletAddress]).toEqual([200, customer.wallet]);
  // The app's session is still valid, because secret.key is part of the backup.
  expect((await api(server.url, 'GET', '/account', customer.app)).status).toBe(200);
  expect(await queryDatabase({ dataDir: restored }, 'SELECT count(*) FROM accounts')).toEqual([
    { count: '1' },
  ]);
});

it('refuses a database that was written with another key, without a stack trace', async () => {
  await server.stop();
  const starting = server.start({ SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015' });
  await expect(starting).rejects.toThrow('SECRET_KEY: this database was written with another key');
  expect(server.log).not.toMatch(/^ +at /m);
});

it('accepts another key once the operator deletes the old one, and drops the data that the old one encrypted', async () => {
  await server.dispose();
  server = await ServerProcess.start();
  const buyer = newWallet();
  const signedIn = async () => bearer((await signIn(server.url, buyer, { audience: 'dashboard' })).token);
  const order = { packageId: 'eu-1gb', quantity: 1 };
  const bought = await api(server.url, 'POST', '/esim/checkout', await signedIn(), order);
  expect([bought.status, bought.body.esims]).toEqual([201, [expect.anything()]]);
  expect(await queryDatabase(server, 'DELETE FROM installation')).toEqual([]);
  await server.stop();
  await server.start({ SECRET_KEY: '9f86d081884c7d659a2feaa0c55ad015' });

  const orders = await api(server.url, 'GET', '/esim/orders', await signedIn());
  const { orderId } = bought.body;
  expect([orders.status, orders.body.data]).toMatchObject([
    200,
    [{ orderId, status: 'completed', esims: [] }],
  ]);
  // The log line may arrive after the response.
  await expect.poll(() => server.log).toContain('eSIM profile is unreadable');
});
