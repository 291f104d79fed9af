import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { until } from '../../harness/until.ts';
import {
  chainId,
  offered,
  pay,
  signPayment,
  startPaymentChain,
  startRpcProxy,
  type PaymentChain,
  type RpcProxy,
} from './paymentSupport.ts';
import { startSpendingServer, type SpendingServer } from './spendingServer.ts';

/* Payments whose request lost its lease, and payments seen by a node whose clock is wrong. */

const body = { units: 1, item: 'it' };

let chain: PaymentChain;
let proxy: RpcProxy;
let dataDir: string;
let server: SpendingServer;
let handle: () => Promise<unknown>;

beforeAll(async () => {
  chain = await startPaymentChain();
  proxy = await startRpcProxy(chain.anvil.url);
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const settings = { ...chain.settings, CHAINS_TESTNET: `${chainId}=${proxy.url}` };
  server = await startSpendingServer({ dataDir, settings, handle: () => handle() });
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await server?.close();
  proxy?.close();
  chain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const query = async (text: string) => (await server.database.pool.query(text)).rows as unknown[];
const newPayment = async () =>
  signPayment(await chain.newPayer(), { accepted: await offered(server.url, body) });

function setClockAhead(hours: number): void {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + hours * 3_600_000);
}

it('a paid request commits nothing after another node has taken its lease', async () => {
  let thaw = () => {};
  let isRunning = false;
  handle = () => {
    isRunning = true;
    return new Promise((resolve) => (thaw = () => resolve('first')));
  };
  const payment = await newPayment();
  const first = pay(server.url, body, payment);
  await until(() => isRunning, 'the request runs');
  await query(`UPDATE x402_payments SET node_id = 'other' WHERE status = 'settled'`);
  thaw();
  expect([(await first).status, (await first).body.error]).toEqual([409, 'idempotency_in_progress']);
  await query(`UPDATE x402_payments SET lease_until = now() - interval '1 second' WHERE status = 'settled'`);
  handle = () => Promise.resolve('second');
  const second = await pay(server.url, body, payment);
  expect([second.status, second.body.done]).toEqual([201, 'second']);
});

it('the answer of a payment is kept for a day, also by a node whose clock is ahead', async () => {
  handle = () => Promise.resolve('it');
  const payment = await newPayment();
  const first = await pay(server.url, body, payment);
  setClockAhead(25);
  const again = await pay(server.url, body, payment);
  expect([first.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
});

it('a payment is left to its request by a node whose clock is ahead', async () => {
  proxy.set('eth_sendRawTransaction', 'drop');
  const sending = proxy.seen('eth_sendRawTransaction');
  void pay(server.url, body, await newPayment()).catch(() => undefined);
  await sending;
  setClockAhead(1);
  await query(`UPDATE due SET due_at = now() WHERE kind = 'x402_payment'`);
  const due = () => query(`SELECT FROM due WHERE kind = 'x402_payment' AND due_at <= now()`);
  await until(async () => (await due()).length === 0, 'the job has run');
  expect(await query('SELECT status FROM x402_payments ORDER BY seq DESC LIMIT 1')).toEqual([
    { status: 'settling' },
  ]);
});
