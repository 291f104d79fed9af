import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePaymentSignatureHeader } from '@x402/core/http';
import { createTestClient, http, parseSignature, toHex, type Hex, type PrivateKeyAccount } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mintTestDollars, testDollar } from '../../../server/chains/demo/testDollar.ts';
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
import { rpc } from '../../harness/services/gateContracts.ts';
import { deployWallet } from '../../harness/clients/testWallets.ts';
import { until } from '../../harness/until.ts';
import { startSpendingServer, type SpendingServer } from './spendingServer.ts';

/* Payments while the RPC fails, others submit or cancel them, or gas is expensive. */

const body = { units: 1, item: 'it' };
const methods = ['eth_sendRawTransaction', 'eth_call', 'eth_chainId', 'eth_getTransactionCount'];

let chain: PaymentChain;
let proxy: RpcProxy;
let dataDir: string;
let server: SpendingServer;

beforeAll(async () => {
  chain = await startPaymentChain();
  proxy = await startRpcProxy(chain.anvil.url);
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  server = await startSpendingServer({
    dataDir,
    settings: { ...chain.settings, CHAINS_TESTNET: `${chainId}=${proxy.url}` },
    handle: ({ item }) => Promise.resolve(item),
  });
});
afterEach(() => methods.forEach((method) => proxy.set(method, null)));
afterAll(async () => {
  await server?.close();
  proxy?.close();
  chain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const received = async () => Number(await chain.balanceOf(chain.payTo));

async function newPayment(nonce: Hex): Promise<{ payer: PrivateKeyAccount; payment: string }> {
  const payer = await chain.newPayer();
  const accepted = await offered(server.url, body);
  return { payer, payment: await signPayment(payer, { accepted, over: { nonce } }) };
}

async function statusOf(nonce: Hex): Promise<Record<string, unknown>> {
  const { rows } = await server.database.pool.query(
    'SELECT status, failure, tx FROM x402_payments WHERE nonce = $1',
    [nonce],
  );
  return rows[0] as Record<string, unknown>;
}

async function call(functionName: string, args: unknown[]): Promise<Hex> {
  const { funded, client } = chain.anvil;
  const { account } = funded;
  const { abi } = testDollar;
  const hash = await funded.writeContract({
    address: chain.token,
    abi,
    functionName,
    args,
    account,
    chain: null,
  });
  await client.waitForTransactionReceipt({ hash });
  return hash;
}

/** Submits the payment's transfer from a third party's account, as anybody who sees it can. */
function submit(payment: string): Promise<Hex> {
  const { authorization, signature } = decodePaymentSignatureHeader(payment).payload as {
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>;
    signature: Hex;
  };
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return call('transferWithAuthorization', [from, to, value, validAfter, validBefore, nonce, signature]);
}

const typed = (owner: PrivateKeyAccount, primaryType: string, types: object, message: object): Promise<Hex> =>
  owner.signTypedData({
    domain: { name: 'Test Dollar', version: '1', chainId, verifyingContract: chain.token },
    ...({ types, primaryType, message } as object),
  } as never);

describe('an RPC that fails', () => {
  it.each(['eth_call', 'eth_chainId', 'eth_getTransactionCount', 'eth_sendRawTransaction'])(
    'at %s leads to a 503, and the same request succeeds later',
    async (method) => {
      const nonce = `0x${Buffer.from(method.slice(4)).toString('hex').padEnd(64, '0').slice(0, 64)}` as const;
      const { payment } = await newPayment(nonce);
      const before = [await received(), server.runs()];
      proxy.set(method, 'fail');
      const failed = await pay(server.url, body, payment);
      expect([failed.status, failed.body.error]).toEqual([503, 'service_unavailable']);
      expect([await received(), server.runs()]).toEqual(before);
      proxy.set(method, null);
      const done = await pay(server.url, body, payment);
      expect([done.status, await received(), server.runs()]).toEqual([
        201,
        (before[0] ?? 0) + 100_000,
        (before[1] ?? 0) + 1,
      ]);
    },
  );

  it('after sending a transaction does not matter, because the payment is found on the chain', async () => {
    const nonce = `0x${'a1'.repeat(32)}` as const;
    const { payment } = await newPayment(nonce);
    const before = await received();
    proxy.set('eth_sendRawTransaction', 'mute');
    expect((await pay(server.url, body, payment)).status).toBe(201);
    expect((await received()) - before).toBe(100_000);
    expect((await statusOf(nonce)).status).toBe('done');
  });
});

describe('a settler without gas', () => {
  it('answers 503 until it has some', async () => {
    const { payment } = await newPayment(`0x${'a2'.repeat(32)}`);
    const chainTools = createTestClient({ mode: 'anvil', transport: http(chain.anvil.url) });
    const { address } = chain.settler.account;
    await chainTools.setBalance({ address, value: 0n });
    const failed = await pay(server.url, body, payment);
    expect([failed.status, failed.body.error]).toEqual([503, 'service_unavailable']);
    await chainTools.setBalance({ address, value: 10n ** 18n });
    expect((await pay(server.url, body, payment)).status).toBe(201);
  });
});

describe('between two attempts to settle', () => {
  /** A payment whose transaction never reached the chain, so that its request failed with 503. */
  async function interruptedPayment(nonce: Hex) {
    const interrupted = await newPayment(nonce);
    proxy.set('eth_sendRawTransaction', 'fail');
    expect((await pay(server.url, body, interrupted.payment)).status).toBe(503);
    proxy.set('eth_sendRawTransaction', null);
    expect((await statusOf(nonce)).status).toBe('settling');
    return interrupted;
  }

  it('a transfer submitted by a third party counts as the payment', async () => {
    const nonce = `0x${'b1'.repeat(32)}` as const;
    const { payment } = await interruptedPayment(nonce);
    const [before, sent] = [await received(), await chain.sent()];
    const tx = await submit(payment);
    const done = await pay(server.url, body, payment);
    expect([done.status, (await received()) - before, (await chain.sent()) - sent]).toEqual([
      201, 100_000, 0,
    ]);
    expect(await statusOf(nonce)).toMatchObject({ status: 'done', tx });
  });

  it('a payment cancelled by its payer is rejected', async () => {
    const nonce = `0x${'b2'.repeat(32)}` as const;
    const { payer, payment } = await interruptedPayment(nonce);
    const [runs, sent] = [server.runs(), await chain.sent()];
    const types = {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    };
    const cancelled = await typed(payer, 'CancelAuthorization', types, { authorizer: payer.address, nonce });
    const { v, r, s } = parseSignature(cancelled);
    await call('cancelAuthorization', [payer.address, nonce, Number(v), r, s]);
    const refused = await pay(server.url, body, payment);
    expect([refused.status, refused.body.error, refused.body.reason]).toEqual([
      402,
      'payment_failed',
      'authorization_spent',
    ]);
    expect([server.runs(), await chain.sent()]).toEqual([runs, sent]);
    expect(await statusOf(nonce)).toMatchObject({ status: 'failed', failure: 'authorization_spent' });
  });

  it('a payment whose nonce its payer has used otherwise is rejected', async () => {
    const nonce = `0x${'b3'.repeat(32)}` as const;
    const { payer, payment } = await interruptedPayment(nonce);
    const runs = server.runs();
    const accepted = await offered(server.url, body);
    const toSelf = { ...accepted, payTo: payer.address };
    await submit(await signPayment(payer, { accepted: toSelf, over: { nonce } }));
    const refused = await pay(server.url, body, payment);
    expect([refused.status, refused.body.reason, server.runs()]).toEqual([402, 'authorization_spent', runs]);
  });
});

describe('the cost of a settlement', () => {
  const owner = privateKeyToAccount(generatePrivateKey());
  const payFrom = async (burned: bigint) => {
    const { anvil, token } = chain;
    const from = await deployWallet(anvil, 'BurningWallet', owner.address, burned);
    await mintTestDollars(anvil.client, anvil.funded, { token, to: from, value: 1_000_000n });
    const accepted = await offered(server.url, body);
    return pay(server.url, body, await signPayment(owner, { accepted, over: { from } }));
  };

  it('is limited in gas: a contract wallet can pay, but one that burns gas is rejected before sending', async () => {
    expect((await payFrom(50_000n)).status).toBe(201);
    const before = await chain.sent();
    const refused = await payFrom(400_000n);
    expect([refused.status, refused.body.error]).toEqual([402, 'payment_failed']);
    expect(await chain.sent()).toBe(before);
  });

  it('is limited in money: nothing is sent while gas is too expensive', async () => {
    const nonce = toHex(randomBytes(32));
    const { payment } = await newPayment(nonce);
    const before = await chain.sent();
    const setFee = async (gwei: number) => {
      await rpc(chain.anvil, 'anvil_setNextBlockBaseFeePerGas', toHex(gwei * 1e9));
      await rpc(chain.anvil, 'evm_mine');
    };
    await setFee(1_000);
    expect((await pay(server.url, body, payment)).status).toBe(503);
    expect(await chain.sent()).toBe(before);
    await setFee(1);
    expect((await pay(server.url, body, payment)).status).toBe(201);
  });

  it('may rise until the transaction is in a block', async () => {
    const { payment } = await newPayment(toHex(randomBytes(32)));
    const chainTools = createTestClient({ mode: 'anvil', transport: http(chain.anvil.url) });
    await chainTools.setAutomine(false);
    try {
      const paying = pay(server.url, body, payment);
      const isWaiting = async () => (await chainTools.getTxpoolStatus()).pending === 1;
      await until(isWaiting, 'a transaction waits for the next block');
      const { baseFeePerGas } = await chain.anvil.client.getBlock();
      await chainTools.setNextBlockBaseFeePerGas({ baseFeePerGas: (baseFeePerGas ?? 0n) * 3n });
      await chainTools.mine({ blocks: 1 });
      expect((await paying).status).toBe(201);
    } finally {
      await chainTools.setAutomine(true);
    }
  });
});
