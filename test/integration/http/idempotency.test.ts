import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Charge } from '../../../server/http/Route.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  newCustomer,
  newKey,
  queryDatabase,
  wrongBalances,
  type Customer,
} from '../money/accountSupport.ts';
import { startSpendingServer, type Spend, type SpendingServer } from '../money/spendingServer.ts';
import { bearer, type Reply } from '../support.ts';

let server: SpendingServer;
let dataDir: string;
let handle: (body: Spend, charge: Charge | null) => Promise<unknown>;
let customer: Customer;
let key: Record<string, string>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const settings = { REQUEST_LEASE_SECONDS: '6' };
  server = await startSpendingServer({ dataDir, settings, handle: (...given) => handle(...given) });
});
beforeEach(async () => {
  handle = ({ item }) => Promise.resolve(item);
  customer = await newCustomer(server.url);
  key = bearer((await newKey(server.url, customer)).secret);
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const spend = (idempotencyKey: string | null, body: object = { units: 1 }, headers = key): Promise<Reply> =>
  api(
    server.url,
    'POST',
    '/spend',
    { ...headers, ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }) },
    body,
  );
const creditsOf = async (headers = key) => {
  const { body } = await api(server.url, 'GET', '/account/credits', headers);
  return [body.credits, body.reserved];
};
const historyOf = async () => {
  const { body } = await api(server.url, 'GET', '/account/history', key);
  return (body.data as { type: string; amount: number; balanceAfter: number; service: string }[]).map(
    ({ type, amount, balanceAfter, service }) => [type, service, amount, balanceAfter],
  );
};
const outcome = ({ status, body }: Reply) => [status, body.error];
/** A promise that resolves when `open` is called. */
function latch() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open: () => open(), opened };
}

describe('a charged request', () => {
  it('costs its price, and reports the credits spent and the balance', async () => {
    const reply = await spend(null, { units: 3 });
    expect([reply.status, reply.body]).toEqual([201, { done: 'thing', credits: 30, balance: 470 }]);
    expect(await creditsOf()).toEqual([470, 0]);
    expect(await historyOf()).toEqual([
      ['debit', 'test', 30, 470],
      ['credit', 'signup', 500, 500],
    ]);
  });

  it('answers 402 with both amounts and does not run when credits are insufficient', async () => {
    const before = server.runs();
    const reply = await spend('k', { units: 51 });
    expect(outcome(reply)).toEqual([402, 'insufficient_credits']);
    expect(reply.body).toMatchObject({ creditsRequired: 510, creditsAvailable: 500 });
    expect(server.runs()).toBe(before);
    // The key is still free.
    expect((await spend('k', { units: 1 })).status).toBe(201);
  });

  it('reserves its credits while it runs', async () => {
    const { open, opened } = latch();
    handle = () => opened;
    const running = spend(null, { units: 2 });
    await until(async () => (await creditsOf())[1] === 20, 'its credits are reserved');
    expect(await creditsOf()).toEqual([480, 20]);
    open();
    await running;
    expect(await creditsOf()).toEqual([480, 0]);
  });

  it.each<[string, unknown, number, string]>([
    ['an internal error', new Error('broken'), 500, 'internal_error'],
    [
      'an upstream error',
      new ParleyError('SERVICE_UNAVAILABLE', 'x', { reason: 'upstream_error' }),
      502,
      'upstream_error',
    ],
    ['a conflict', new ParleyError('CONFLICT', 'x', { reason: 'out_of_stock' }), 409, 'out_of_stock'],
  ])('is refunded on %s', async (_name, error, status, name) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- each is an Error
    handle = () => Promise.reject(error);
    expect(outcome(await spend(null, { units: 4 }))).toEqual([status, name]);
    expect(await creditsOf()).toEqual([500, 0]);
    expect(await historyOf()).toEqual([
      ['refund', 'test', 40, 500],
      ['debit', 'test', 40, 460],
      ['credit', 'signup', 500, 500],
    ]);
  });

  it('appears in the account’s usage and the audit log, net of refunds', async () => {
    await spend(null, { units: 3 });
    handle = () => Promise.reject(new Error('broken'));
    await spend(null, { units: 5 });
    const usage = async (groupBy: string) =>
      (await api(server.url, 'GET', `/account/usage?groupBy=${groupBy}`, key)).body as {
        totals: object;
        data: { bucket: string; service: string; requests: number; credits: number; units: number }[];
      };
    const found = await until(async () => {
      const { data } = await usage('service');
      return data.find(({ service, requests }) => service === 'test' && requests === 2);
    }, 'both requests are counted');
    expect(found).toEqual({ bucket: 'test', service: 'test', requests: 2, units: 3, credits: 30 });
    const byKey = await usage('key');
    expect(byKey.data.find(({ service }) => service === 'test')?.bucket).toMatch(/^svc_live_/);
    const today = new Date().toISOString().slice(0, 10);
    expect((await usage('day')).data.find(({ service }) => service === 'test')?.bucket).toBe(today);
    const { body } = await api(server.url, 'GET', '/audit-logs?action=request', customer.dashboard);
    const rows = (body.data as { path: string; credits: number | null }[]).filter(({ path }) =>
      path.endsWith('/spend'),
    );
    expect(rows.map(({ credits }) => credits)).toEqual([null, 30]);
  });
});

describe('an Idempotency-Key', () => {
  it('returns the same answer again without running or charging again', async () => {
    const before = server.runs();
    const first = await spend('again');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    for (let round = 0; round < 3; round++) {
      const reply = await spend('again');
      expect([reply.status, reply.text]).toEqual([first.status, first.text]);
      expect(reply.headers['idempotent-replayed']).toBe('true');
      expect(reply.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    }
    expect(server.runs()).toBe(before + 1);
    expect(await creditsOf()).toEqual([490, 0]);
  });

  it('answers 422 when reused with a different body', async () => {
    await spend('other');
    expect(outcome(await spend('other', { units: 2 }))).toEqual([422, 'idempotency_key_reused']);
    expect(await creditsOf()).toEqual([490, 0]);
  });

  it('answers 409 while its request runs, and lets only one of many simultaneous requests run', async () => {
    const { open, opened } = latch();
    handle = () => opened;
    const before = server.runs();
    const replies = Array.from({ length: 20 }, () => spend('busy'));
    await until(() => server.runs() === before + 1, 'one request runs');
    // Longer than its lease, which the running request renews.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect(outcome(await spend('busy'))).toEqual([409, 'idempotency_in_progress']);
    open();
    const statuses = (await Promise.all(replies)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    expect(server.runs()).toBe(before + 1);
    expect((await spend('busy')).headers['idempotent-replayed']).toBe('true');
    expect(await creditsOf()).toEqual([490, 0]);
  });

  it('is separate per account and path', async () => {
    const other = await newCustomer(server.url);
    await spend('mine');
    const theirs = await spend('mine', { units: 1 }, other.dashboard);
    expect([theirs.status, theirs.headers['idempotent-replayed']]).toEqual([201, undefined]);
    const otherPath = await api(
      server.url,
      'POST',
      '/api-keys',
      { ...customer.dashboard, 'Idempotency-Key': 'mine' },
      { name: 'x' },
    );
    expect([otherPath.status, otherPath.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it('replays rejections, and lets failed requests run again', async () => {
    handle = () => Promise.reject(new ParleyError('CONFLICT', 'none left', { reason: 'out_of_stock' }));
    const refused = await spend('refused');
    handle = () => Promise.reject(new Error('broken'));
    const failed = await spend('failed');
    expect([outcome(refused), outcome(failed)]).toEqual([
      [409, 'out_of_stock'],
      [500, 'internal_error'],
    ]);
    handle = () => Promise.resolve('now');
    expect(outcome(await spend('refused'))).toEqual([409, 'out_of_stock']);
    expect((await spend('failed')).body).toMatchObject({ done: 'now', balance: 490 });
  });

  it('stays bound to a purchase that was made before its request failed', async () => {
    const { ledger } = server.accounts;
    const charges: (string | undefined)[] = [];
    const buyAndFail = async (error: Error, charge: Charge | null) => {
      charges.push(charge?.id);
      await server.database.db.transaction((tx) => ledger.capture(tx, charge?.reservationId ?? ''));
      throw error;
    };
    handle = (_, charge) => buyAndFail(new Error('broken'), charge);
    expect(outcome(await spend('bought'))).toEqual([500, 'internal_error']);
    handle = (_, charge) => buyAndFail(new ParleyError('RATE_LIMIT_EXCEEDED', 'busy'), charge);
    expect((await spend('bought')).status).toBe(429);
    expect(outcome(await spend('bought', { units: 2 }))).toEqual([422, 'idempotency_key_reused']);
    handle = (_, charge) => Promise.resolve(charge?.id);
    const found = await spend('bought');
    expect([found.status, found.body]).toEqual([201, { done: charges[0], credits: 10, balance: 490 }]);
    expect(found.headers['idempotent-replayed']).toBe('true');
    expect(charges).toEqual([charges[0], charges[0]]);
    expect(await creditsOf()).toEqual([490, 0]);
    expect((await spend('bought')).text).toBe(found.text);
  });

  it('expires after a day', async () => {
    await spend('old');
    const expiry = `UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE key = 'old'`;
    const [row] = await queryDatabase(
      { dataDir },
      `SELECT expires_at FROM idempotency_keys WHERE key = 'old'`,
    );
    const hours = ((row?.expires_at as Date).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    await queryDatabase({ dataDir }, expiry);
    const reply = await spend('old', { units: 2 });
    expect([reply.status, reply.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  it.each(['', 'x'.repeat(256), 'tab\there'])('is rejected if it is %j', async (name) => {
    expect(outcome(await spend(name))).toEqual([400, 'invalid_request']);
    expect(await creditsOf()).toEqual([500, 0]);
  });

  it('stores answers encrypted, so that secrets are not readable in the database', async () => {
    const headers = { ...customer.dashboard, 'Idempotency-Key': 'with a secret' };
    const first = await api(server.url, 'POST', '/api-keys', headers, { name: 'x' });
    const again = await api(server.url, 'POST', '/api-keys', headers, { name: 'x' });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const secret = first.body.secret as string;
    const [row] = await queryDatabase(
      { dataDir },
      `SELECT encode(answer, 'escape') AS answer, encode(answer, 'hex') AS hex FROM idempotency_keys WHERE key = 'with a secret'`,
    );
    expect(String(row?.answer).length).toBeGreaterThan(100);
    expect(String(row?.answer)).not.toContain(secret.slice(9, 20));
    expect(String(row?.hex)).not.toContain(Buffer.from(secret).toString('hex').slice(18, 40));
    // It cannot be decrypted in the row of another key.
    await api(server.url, 'POST', '/api-keys', { ...headers, 'Idempotency-Key': 'another' }, { name: 'x' });
    await queryDatabase(
      { dataDir },
      `UPDATE idempotency_keys SET answer = (SELECT answer FROM idempotency_keys WHERE key = 'with a secret') WHERE key = 'another'`,
    );
    const moved = await api(
      server.url,
      'POST',
      '/api-keys',
      { ...headers, 'Idempotency-Key': 'another' },
      { name: 'x' },
    );
    expect(outcome(moved)).toEqual([500, 'internal_error']);
  });
});

it('keeps every balance equal to the sum of its movements', async () => {
  expect(await wrongBalances({ dataDir })).toEqual([]);
});

it('treats different spellings of a path as one', async () => {
  const paths = ['/spend', '/spend/', '/Spend', '/SPEND?'];
  const replies: Reply[] = [];
  for (const path of paths)
    replies.push(await api(server.url, 'POST', path, { ...key, 'Idempotency-Key': 'paths' }, { units: 1 }));
  const [first] = replies;
  expect(replies.map(({ status, body }) => [status, body])).toEqual(paths.map(() => [201, first?.body]));
  expect(await creditsOf()).toEqual([490, 0]);
});
