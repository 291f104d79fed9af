import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { createTestClient, createWalletClient, http, publicActions } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  chainId,
  network,
  offered,
  pay,
  payingFetch,
  signPayment,
  startPaymentChain,
  startRpcProxy,
  type PaymentChain,
  type RpcProxy,
} from './paymentSupport.ts';
import { until } from '../../harness/until.ts';
import { startSpendingServer, type SpendingServer } from './spendingServer.ts';

/* A server that uses an outside facilitator by its URL: the x402 packages' own, behind the three routes of its protocol. */

let chain: PaymentChain;
/** The server's RPC. The facilitator has its own. */
let proxy: RpcProxy;
let dataDir: string;
let facilitator: Server;
let server: SpendingServer;
/**
 * How the facilitator behaves: `lost` settles the payment, but closes the connection without answering. `elsewhere` offers only another
 * network. `timedOut`, `duplicate` and `wrong`
 * send the transfer, and answer with a refusal before it is in a block.
 */
let behaviour: 'normal' | 'lost' | 'away' | 'elsewhere' | 'refusing' | keyof typeof tooEarly = 'normal';
const tooEarly = {
  timedOut: 'settle_exact_evm_transaction_confirmation_timed_out',
  duplicate: 'duplicate_settlement',
  wrong: 'unexpected_settle_error',
};
const requests: string[] = [];

beforeAll(async () => {
  chain = await startPaymentChain();
  proxy = await startRpcProxy(chain.anvil.url);
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  facilitator = await startFacilitator();
  const { X402_SETTLER_KEY: _, ...settings } = chain.settings;
  const url = `http://127.0.0.1:${(facilitator.address() as AddressInfo).port}`;
  server = await startSpendingServer({
    dataDir,
    settings: { ...settings, CHAINS_TESTNET: `${chainId}=${proxy.url}`, X402_FACILITATOR_URL: url },
    handle: ({ item }) => Promise.resolve(item),
  });
});
beforeEach(() => {
  behaviour = 'normal';
  requests.length = 0;
});
afterAll(async () => {
  await server?.close();
  facilitator?.closeAllConnections();
  facilitator?.close();
  proxy?.close();
  chain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startFacilitator(): Promise<Server> {
  const { account } = chain.settler;
  const wallet = createWalletClient({ account, transport: http(chain.anvil.url), pollingInterval: 50 });
  const client = wallet.extend(publicActions);
  let onSent = (_hash: string) => {};
  const writeContract = async (call: Parameters<typeof client.writeContract>[0]) => {
    const hash = await client.writeContract(call);
    onSent(hash);
    return hash;
  };
  const signer = toFacilitatorEvmSigner({ ...client, writeContract, address: account.address } as never);
  const x402 = new x402Facilitator().register(network, new ExactEvmScheme(signer));
  const listener = createServer((request, response) => {
    const path = request.url ?? '';
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      requests.push(path);
      if (behaviour === 'away') return void response.destroy();
      void answer(path, text).then((body) => {
        if (behaviour === 'lost' && path === '/settle') response.destroy();
        else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      });
    });
  });
  async function answer(path: string, text: string): Promise<unknown> {
    if (path === '/supported' && behaviour === 'elsewhere')
      return { kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }] };
    if (path === '/supported') return x402.getSupported();
    const { paymentPayload, paymentRequirements } = JSON.parse(text) as {
      paymentPayload: PaymentPayload;
      paymentRequirements: PaymentRequirements;
    };
    if (path === '/verify') return x402.verify(paymentPayload, paymentRequirements);
    if (behaviour === 'refusing')
      return { success: false, errorReason: 'blocked_payer', transaction: '', network };
    if (!(behaviour in tooEarly)) return x402.settle(paymentPayload, paymentRequirements);
    const errorReason = tooEarly[behaviour as keyof typeof tooEarly];
    const sent = new Promise<string>((resolve) => (onSent = resolve));
    void x402.settle(paymentPayload, paymentRequirements);
    const hash = await sent;
    return { success: false, errorReason, transaction: behaviour === 'timedOut' ? hash : '', network };
  }
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', () => resolve()));
  return listener;
}

const body = { units: 1, item: 'it' };
const newPayment = async () =>
  signPayment(await chain.newPayer(), { accepted: await offered(server.url, body) });
const received = async () => Number(await chain.balanceOf(chain.payTo));

describe('an outside facilitator', () => {
  it('leads to a 503 while it does not offer the network at first use, and works once it does', async () => {
    for (const how of ['away', 'elsewhere'] as const) {
      behaviour = how;
      const { status, body: refused } = await pay(server.url, body, 'x');
      expect([status, refused.error]).toEqual([503, 'service_unavailable']);
    }
    behaviour = 'normal';
    expect((await offered(server.url, body)).amount).toBe('100000');
  });

  it('settles a payment of x402’s own client', async () => {
    const before = await received();
    const response = await payingFetch(await chain.newPayer(), chain.token)(`${server.url}/api/v1/spend`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.json()]).toEqual([
      201,
      { done: 'it', credits: 10, balance: null },
    ]);
    expect((await received()) - before).toBe(100_000);
    expect(requests.filter((path) => path !== '/supported')).toEqual(['/verify', '/settle']);
  });

  it('may lose its answer, because the payment is found on the chain', async () => {
    const payment = await newPayment();
    const before = [await received(), server.runs()];
    behaviour = 'lost';
    const reply = await pay(server.url, body, payment);
    expect([reply.status, await received(), server.runs()]).toEqual([
      201,
      (before[0] ?? 0) + 100_000,
      (before[1] ?? 0) + 1,
    ]);
    expect(requests.filter((path) => path === '/settle')).toHaveLength(1);
  });

  it('leads to a 402 when it rejects a payment, and the payment can be tried again', async () => {
    const payment = await newPayment();
    const runs = server.runs();
    behaviour = 'refusing';
    const refused = await pay(server.url, body, payment);
    expect([refused.status, refused.body.error, refused.body.reason]).toEqual([
      402,
      'payment_failed',
      'blocked_payer',
    ]);
    expect(server.runs()).toBe(runs);
    behaviour = 'normal';
    expect((await pay(server.url, body, payment)).status).toBe(201);
  });

  it.each([
    ['timedOut', 503],
    ['duplicate', 503],
    ['wrong', 402],
  ] as const)(
    'may refuse a payment that it has sent (%s): it is found once it is in a block',
    async (how, status) => {
      const miner = createTestClient({ mode: 'anvil', transport: http(chain.anvil.url) });
      const payment = await newPayment();
      const before = [await received(), server.runs()];
      // The server's RPC does not show transactions that wait for their block.
      proxy.set('eth_getTransactionByHash', 'fail');
      await miner.setAutomine(false);
      try {
        behaviour = how;
        expect((await pay(server.url, body, payment)).status).toBe(status);
        expect([await received(), server.runs()]).toEqual(before);
      } finally {
        await miner.mine({ blocks: 1 });
        await miner.setAutomine(true);
        proxy.set('eth_getTransactionByHash', null);
      }
      const { pool } = server.database;
      await pool.query(`UPDATE due SET due_at = now() WHERE kind = 'x402_payment'`);
      const last = 'SELECT status FROM x402_payments ORDER BY seq DESC LIMIT 1';
      const isSettled = async () =>
        (await pool.query<{ status: string }>(last)).rows[0]?.status === 'settled';
      await until(isSettled, 'the payment is settled');
      expect((await pay(server.url, body, payment)).status).toBe(201);
      expect([await received(), server.runs()]).toEqual([(before[0] ?? 0) + 100_000, (before[1] ?? 0) + 1]);
      expect(requests.filter((path) => path === '/settle')).toHaveLength(1);
    },
  );

  it('leads to a 503 when it becomes unavailable, and the same request succeeds later', async () => {
    const payment = await newPayment();
    behaviour = 'away';
    const failed = await pay(server.url, body, payment);
    expect([failed.status, failed.headers['retry-after']]).toEqual([503, '5']);
    behaviour = 'normal';
    expect((await pay(server.url, body, payment)).status).toBe(201);
  });
});
