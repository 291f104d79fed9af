import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  decodePaymentSignatureHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http';
import type { PaymentRequirements } from '@x402/core/types';
import { PERMIT2_ADDRESS, permit2WitnessTypes, x402ExactPermit2ProxyAddress } from '@x402/evm';
import { parseSignature, type Hex } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import { testDollar } from '../../../server/chains/demo/testDollar.ts';
import { until } from '../../harness/until.ts';
import {
  chainId,
  network,
  offered,
  pay,
  payingFetch,
  post,
  receiptOf,
  signPayment,
  startPaymentChain,
  type PaymentChain,
} from './paymentSupport.ts';
import { startSpendingServer, type Spend, type SpendingServer } from './spendingServer.ts';
import { newWallet } from '../support.ts';

/* Payment per request, settled by the server itself on a real chain. */

let chain: PaymentChain;
let dataDir: string;
let server: SpendingServer;
let handle: (body: Spend) => Promise<unknown>;
const succeed = ({ item }: Spend) => Promise.resolve(item);

beforeAll(async () => {
  chain = await startPaymentChain();
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  server = await startSpendingServer({
    dataDir,
    settings: chain.settings,
    handle: (body) => handle(body),
  });
});
beforeEach(() => {
  handle = succeed;
});
afterAll(async () => {
  await server?.close();
  chain?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Runs `action`, and counts the handler runs, transactions sent and money received during it. */
async function change<T>(
  action: () => Promise<T>,
): Promise<[T, { runs: number; sent: number; received: number }]> {
  const state = async () => ({
    runs: server.runs(),
    sent: await chain.sent(),
    received: Number(await chain.balanceOf(chain.payTo)),
  });
  const before = await state();
  const result = await action();
  const after = await state();
  return [
    result,
    {
      runs: after.runs - before.runs,
      sent: after.sent - before.sent,
      received: after.received - before.received,
    },
  ];
}
const noEffect = { runs: 0, sent: 0, received: 0 };
const onePayment = { runs: 1, sent: 1, received: 100_000 };

describe('without a payment', () => {
  it('names the price in the header and in the body', async () => {
    const reply = await post(server.url, '/spend', { units: 3 });
    expect(reply.status).toBe(402);
    const accepts = [
      {
        scheme: 'exact',
        network,
        amount: '300000',
        asset: chain.token,
        payTo: chain.payTo,
        maxTimeoutSeconds: 300,
        extra: { name: 'Test Dollar', version: '1', paymentFlow: 'upfront' },
      },
    ];
    expect(reply.body).toMatchObject({ error: 'payment_required', reason: 'missing_payment', accepts });
    expect(reply.body.requestId).toBe(reply.headers['x-request-id']);
    expect(decodePaymentRequiredHeader(String(reply.headers['payment-required']))).toMatchObject({
      x402Version: 2,
      accepts,
      resource: { url: expect.stringMatching(/\/api\/v1\/spend$/) as string },
    });
  });

  it('quotes the price of one unit for an invalid body', async () => {
    for (const headers of [{}, { 'Content-Type': 'text/plain' }]) {
      const { status, body } = await post(server.url, '/spend', { units: 'many' }, headers);
      expect([status, (body.accepts as PaymentRequirements[])[0]?.amount]).toEqual([402, '100000']);
    }
  });

  it('does not offer payment to a request with another credential', async () => {
    const refused = await post(server.url, '/spend', { units: 1 }, { Authorization: 'Bearer svc_live_x' });
    expect([refused.status, refused.headers['payment-required']]).toEqual([401, undefined]);
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    const both = await pay(server.url, { units: 1 }, payment, { Authorization: 'Bearer svc_live_x' });
    expect([both.status, both.body.error]).toEqual([400, 'ambiguous_credentials']);
    const otherRoute = await post(server.url, '/account/top-up', {}, { 'PAYMENT-SIGNATURE': payment });
    expect([401, 404]).toContain(otherRoute.status);
  });
});

describe('x402’s own client', () => {
  it('pays without an account, and gets its answer', async () => {
    const payer = await chain.newPayer();
    const [response, changed] = await change(() =>
      payingFetch(payer, chain.token)(`${server.url}/api/v1/spend`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ units: 2, item: 'a thing' }),
      }),
    );
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({ done: 'a thing', credits: 20, balance: null });
    expect(changed).toEqual({ runs: 1, sent: 1, received: 200_000 });
    expect(response.headers.get('RateLimit-Policy')).toContain('writes');
    const receipt = decodePaymentResponseHeader(String(response.headers.get('PAYMENT-RESPONSE')));
    expect(receipt).toMatchObject({ success: true, network, payer: payer.address });
    const { status } = await chain.anvil.client.getTransactionReceipt({ hash: receipt.transaction as Hex });
    expect(status).toBe('success');
    expect(await chain.balanceOf(payer.address)).toBe(999_800_000n);

    const row = await until(async () => {
      const { rows } = await server.database.pool.query(
        `SELECT account_id, actor_type, actor_payer, status, credits, units FROM audit_log WHERE actor_payer = $1`,
        [payer.address],
      );
      return rows[0] as Record<string, unknown> | undefined;
    }, 'the audit log has the request');
    expect(row).toEqual({
      account_id: null,
      actor_type: 'x402',
      actor_payer: payer.address,
      status: 201,
      credits: 20,
      units: 2,
    });
  });
});

describe('calls of x402’s own client with one Idempotency-Key', () => {
  /** A client whose every call signs a new payment. */
  async function keyedClient() {
    const payer = await chain.newPayer();
    const key = randomUUID();
    const paid = payingFetch(payer, chain.token);
    return async (item = 'a thing') => {
      const response = await paid(`${server.url}/api/v1/spend`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify({ units: 1, item }),
      });
      const receipt = response.headers.get('PAYMENT-RESPONSE');
      return {
        status: response.status,
        body: (await response.json()) as Record<string, unknown>,
        replayed: response.headers.get('Idempotent-Replayed'),
        tx: receipt && decodePaymentResponseHeader(receipt).transaction,
      };
    };
  }

  it('are paid and served once', async () => {
    const call = await keyedClient();
    const [[first, again], changed] = await change(async () => [await call(), await call()]);
    expect([first.status, first.replayed, changed]).toEqual([201, null, onePayment]);
    expect(again).toEqual({ ...first, replayed: 'true' });
    const [other, unchanged] = await change(() => call('another thing'));
    expect([other.status, other.body.error, unchanged]).toEqual([422, 'idempotency_key_reused', noEffect]);
  });

  it('are paid and served once when they arrive together', async () => {
    const call = await keyedClient();
    const [answers, changed] = await change(() => Promise.all(Array.from({ length: 5 }, () => call())));
    expect(changed).toEqual(onePayment);
    expect(answers.map(({ status }) => status)).toContain(201);
    for (const { status, body } of answers)
      if (status !== 201) expect([status, body.error]).toEqual([409, 'idempotency_in_progress']);
    expect((await call()).replayed).toBe('true');
  });

  it('are paid once when the work of the first one failed', async () => {
    const call = await keyedClient();
    handle = () => Promise.reject(new Error('carrier failed'));
    const [failed, changed] = await change(() => call());
    expect([failed.status, changed]).toEqual([500, onePayment]);
    handle = succeed;
    const [done, rest] = await change(() => call());
    expect([done.status, done.tx, rest]).toEqual([201, failed.tx, { runs: 1, sent: 0, received: 0 }]);
  });

  it('are paid with the second payment only when the first one can no longer be executed', async () => {
    const call = await keyedClient();
    await call();
    // As if the process had died before it sent the payment, of which the chain then knows nothing.
    const lost = await server.database.pool.query(
      `UPDATE x402_payments SET status = 'settling', tx = NULL, answer_status = NULL, answer = NULL, lease_until = now() - interval '1 s',
        nonce = $1, valid_before = now() + interval '1 minute' WHERE seq = (SELECT max(seq) FROM x402_payments) RETURNING id`,
      [`0x${'cd'.repeat(32)}`],
    );
    const { id } = (lost.rows as { id: string }[])[0]!;
    const [open, unchanged] = await change(() => call());
    expect([open.status, open.body.error, unchanged]).toEqual([503, 'service_unavailable', noEffect]);
    await server.database.pool.query(
      `UPDATE x402_payments SET valid_before = now() - interval '2 minutes' WHERE id = $1`,
      [id],
    );
    const [[second, again], changed] = await change(async () => [await call(), await call()]);
    expect([second.status, second.replayed, changed]).toEqual([201, null, onePayment]);
    expect(again).toEqual({ ...second, replayed: 'true' });
    const { rows } = await server.database.pool.query(
      `SELECT status, failure FROM x402_payments WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ status: 'failed', failure: 'superseded' }]);
  });

  it('do not join those of another payer', async () => {
    const key = { 'Idempotency-Key': 'a key that two payers use' };
    const accepted = await offered(server.url, { units: 1 });
    const sign = async () => signPayment(await chain.newPayer(), { accepted });
    const [replies, changed] = await change(async () => [
      await pay(server.url, { units: 1 }, await sign(), key),
      await pay(server.url, { units: 1 }, await sign(), key),
    ]);
    expect(replies.map(({ status, headers }) => [status, headers['idempotent-replayed']])).toEqual([
      [201, undefined],
      [201, undefined],
    ]);
    expect(changed).toEqual({ runs: 2, sent: 2, received: 200_000 });
  });

  it('do not join a payment whose signature is not the payer’s', async () => {
    const payer = await chain.newPayer();
    const accepted = await offered(server.url, { units: 1 });
    const key = { 'Idempotency-Key': 'a guessed key' };
    const payment = await signPayment(payer, { accepted });
    expect((await pay(server.url, { units: 1, item: 'secret' }, payment, key)).status).toBe(201);
    const forged = await signPayment(payer, { accepted, signedBy: newWallet() });
    const reply = await pay(server.url, { units: 1, item: 'secret' }, forged, key);
    expect([reply.status, reply.body.reason]).toEqual([402, 'invalid_exact_evm_signature']);
  });
});

describe('a payment', () => {
  it('is not used when the body is invalid', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    const [reply, changed] = await change(() => pay(server.url, { units: 0 }, payment));
    expect([reply.status, reply.body.error, changed]).toEqual([422, 'validation_failed', noEffect]);
    // The payment was not used, so it is still valid.
    expect((await pay(server.url, { units: 1 }, payment)).status).toBe(201);
  });

  it.each(['', 'k'.repeat(256), 'schlüssel'])('is not used with the Idempotency-Key “%s”', async (key) => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    const [reply, changed] = await change(() =>
      pay(server.url, { units: 1 }, payment, { 'Idempotency-Key': key }),
    );
    expect([reply.status, reply.body.error, changed]).toEqual([400, 'invalid_request', noEffect]);
    expect((await pay(server.url, { units: 1 }, payment)).status).toBe(201);
  });

  it('is the same for different spellings of a path', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = { 'PAYMENT-SIGNATURE': await signPayment(await chain.newPayer(), { accepted }) };
    const [replies, changed] = await change(async () => [
      await post(server.url, '/spend', { units: 1 }, payment),
      await post(server.url, '/Spend/', { units: 1 }, payment),
    ]);
    expect(replies.map(({ status, text }) => [status, text])).toEqual([
      [201, replies[0]?.text],
      [201, replies[0]?.text],
    ]);
    expect(changed).toEqual(onePayment);
  });

  it('returns the same answer again, and is valid for no other request', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    const body = { units: 1, item: 'secret' };
    const [first, changed] = await change(() => pay(server.url, body, payment));
    expect([first.status, changed]).toEqual([201, onePayment]);
    const [again, unchanged] = await change(() => pay(server.url, body, payment));
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
    expect(receiptOf(again)).toEqual(receiptOf(first));
    const [other, still] = await change(() => pay(server.url, { units: 1, item: 'other' }, payment));
    expect([other.status, other.body.error, other.body.reason]).toEqual([
      402,
      'payment_failed',
      'payment_already_used',
    ]);
    expect(other.headers['payment-required']).toBeDefined();
    expect([unchanged, still]).toEqual([noEffect, noEffect]);
    const { rows } = await server.database.pool.query(
      `SELECT answer FROM x402_payments WHERE answer IS NOT NULL`,
    );
    for (const { answer } of rows as { answer: Buffer }[])
      expect(answer.toString('latin1')).not.toContain('secret');
  });

  it('cannot be replayed from another address without the sender’s idempotency key', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const body = { units: 1 };
    const [open, keyed] = [
      await signPayment(await chain.newPayer(), { accepted }),
      await signPayment(await chain.newPayer(), { accepted }),
    ];
    const key = { 'Idempotency-Key': 'only mine' };
    expect((await pay(server.url, body, open)).status).toBe(201);
    expect((await pay(server.url, body, keyed, key)).status).toBe(201);
    await server.database.pool.query(`UPDATE x402_payments SET sender = '192.0.2.1'`);
    expect((await pay(server.url, body, open)).body.reason).toBe('payment_already_used');
    expect((await pay(server.url, body, keyed)).body.reason).toBe('payment_already_used');
    expect((await pay(server.url, body, keyed, key)).status).toBe(201);
  });

  it('is settled and served once in simultaneous requests', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    const [replies, changed] = await change(() =>
      Promise.all(Array.from({ length: 5 }, () => pay(server.url, { units: 1 }, payment))),
    );
    expect(changed).toEqual(onePayment);
    const statuses = replies.map(({ status }) => status);
    expect(statuses).toContain(201);
    for (const { status, body } of replies)
      if (status !== 201) expect([status, body.error]).toEqual([409, 'idempotency_in_progress']);
    expect((await pay(server.url, { units: 1 }, payment)).status).toBe(201);
  });

  it('is settled in turn when many arrive at the same time', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payments = await Promise.all(
      Array.from({ length: 8 }, async () => signPayment(await chain.newPayer(), { accepted })),
    );
    const [replies, changed] = await change(() =>
      Promise.all(payments.map((payment) => pay(server.url, { units: 1 }, payment))),
    );
    expect(replies.map(({ status }) => status)).toEqual(payments.map(() => 201));
    expect(changed).toEqual({ runs: 8, sent: 8, received: 800_000 });
  });
});

describe('rejects without sending a transaction', () => {
  // On a chain with Multicall3, x402 reports a more specific reason.
  const simulated = 'invalid_exact_evm_transaction_simulation_failed';
  const far = String(Math.floor(Date.now() / 1_000) + 86_400);
  it.each<[string, (accepted: PaymentRequirements) => object, string]>([
    [
      'a signed amount that is too small',
      () => ({ over: { value: '99999' } }),
      'invalid_exact_evm_payload_authorization_value_mismatch',
    ],
    [
      'another amount than the price',
      (accepted) => ({ accepted: { ...accepted, amount: '1' } }),
      'amount_mismatch',
    ],
    [
      'another network',
      (accepted) => ({ accepted: { ...accepted, network: 'eip155:8453' } }),
      'network_mismatch',
    ],
    [
      'another token',
      (accepted) => ({ accepted: { ...accepted, asset: newWallet().address } }),
      'asset_mismatch',
    ],
    [
      'another recipient',
      (accepted) => ({ accepted: { ...accepted, payTo: newWallet().address } }),
      'recipient_mismatch',
    ],
    [
      'a signed transfer to another recipient',
      () => ({ over: { to: newWallet().address } }),
      'invalid_exact_evm_recipient_mismatch',
    ],
    [
      'an expired signature',
      () => ({ over: { validBefore: '1700000000' } }),
      'invalid_exact_evm_payload_authorization_valid_before',
    ],
    [
      'a signature that is not valid yet',
      () => ({ over: { validAfter: far } }),
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
    ['a signature that is valid too long', () => ({ over: { validBefore: far } }), 'valid_before_too_late'],
    ['the signature of another wallet', () => ({ signedBy: newWallet() }), 'invalid_exact_evm_signature'],
  ])('%s', async (_, terms, reason) => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted, ...terms(accepted) });
    const [reply, changed] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([reply.status, reply.body.error, reply.body.reason]).toEqual([402, 'payment_failed', reason]);
    expect(reply.body.accepts).toEqual([accepted]);
    expect(decodePaymentRequiredHeader(String(reply.headers['payment-required'])).error).toBe(reason);
    expect(changed).toEqual(noEffect);
  });

  it('a payer without money', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const [reply, changed] = await change(async () =>
      pay(server.url, { units: 1 }, await signPayment(newWallet(), { accepted })),
    );
    expect([reply.status, reply.body.reason]).toEqual([402, simulated]);
    expect(changed).toEqual(noEffect);
  });

  it('a Permit2 authorization beside a transfer that its payer has not signed', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const [thief, victim] = [newWallet(), await chain.newPayer()];
    const now = Math.floor(Date.now() / 1_000);
    const permit = {
      permitted: { token: accepted.asset, amount: accepted.amount },
      spender: x402ExactPermit2ProxyAddress,
      nonce: '1',
      deadline: String(now + 300),
      witness: { to: accepted.payTo, validAfter: String(now - 60) },
    };
    const signature = await thief.signTypedData({
      domain: { name: 'Permit2', chainId, verifyingContract: PERMIT2_ADDRESS },
      types: permit2WitnessTypes,
      primaryType: 'PermitWitnessTransferFrom',
      message: permit as never,
    });
    const { authorization } = decodePaymentSignatureHeader(await signPayment(victim, { accepted })).payload;
    const permit2Authorization = { from: thief.address, ...permit };
    const payload = { signature, authorization, permit2Authorization };
    const payment = encodePaymentSignatureHeader({ x402Version: 2, accepted, payload });
    const [reply, changed] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([reply.status, reply.body.reason, changed]).toEqual([
      402,
      'invalid_exact_evm_signature',
      noEffect,
    ]);
  });

  it('malformed payments', async () => {
    const base64 = (payment: unknown) => Buffer.from(JSON.stringify(payment)).toString('base64');
    const headers = {
      x: 'invalid_payload',
      [base64({})]: 'invalid_x402_version',
      [base64({ x402Version: 1 })]: 'invalid_x402_version',
      [base64(null)]: 'invalid_x402_version',
      [base64({ x402Version: 2, payload: {} })]: 'invalid_payload',
    };
    for (const [header, reason] of Object.entries(headers)) {
      const { status, body } = await pay(server.url, { units: 1 }, header);
      expect([status, body.error, body.reason]).toEqual([402, 'payment_failed', reason]);
    }
  });

  it.each([
    ['accepted.payTo', '"payTo"', '"to"'],
    ['accepted.network', `"${network}"`, String.raw`"${network}\u0000"`],
    ['payload.signature', '"signature"', '"signed"'],
    ['payload.signature', /"signature":"\w+"/, `"signature":"0x${'00'.repeat(32)}${'6492'.repeat(16)}"`],
    ['payload.authorization.validAfter', /"validAfter":"(\d+)"/, '"validAfter":$1'],
  ])('a payment without a valid %s, which it names', async (field, valid, invalid) => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = decodePaymentSignatureHeader(await signPayment(newWallet(), { accepted }));
    const text = JSON.stringify(payment).replace(valid, invalid);
    const { body } = await pay(server.url, { units: 1 }, Buffer.from(text).toString('base64'));
    expect([body.reason, body.message]).toEqual(['invalid_payload', expect.stringContaining(`\`${field}\``)]);
  });

  it('a payment that is nested deeply, before it is compared with the ways to pay', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = decodePaymentSignatureHeader(await signPayment(newWallet(), { accepted }));
    const deep = `"deep":${'['.repeat(5_000)}${']'.repeat(5_000)},`;
    const text = JSON.stringify(payment).replace('"scheme"', `${deep}"scheme"`);
    const { status, body } = await pay(server.url, { units: 1 }, Buffer.from(text).toString('base64'));
    expect([status, body.reason]).toEqual([402, 'invalid_payload']);
  });

  it('a signature that its payer has cancelled on the chain', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payer = await chain.newPayer();
    const nonce = `0x${'ab'.repeat(32)}` as const;
    const payment = await signPayment(payer, { accepted, over: { nonce } });
    const signature = parseSignature(
      await payer.signTypedData({
        domain: { name: 'Test Dollar', version: '1', chainId, verifyingContract: chain.token },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: payer.address, nonce },
      }),
    );
    const { funded, client } = chain.anvil;
    const hash = await funded.writeContract({
      address: chain.token,
      abi: testDollar.abi,
      functionName: 'cancelAuthorization',
      args: [payer.address, nonce, Number(signature.v), signature.r, signature.s],
      account: funded.account,
      chain: null,
    });
    await client.waitForTransactionReceipt({ hash });
    const [reply, changed] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([reply.status, reply.body.reason, changed]).toEqual([402, simulated, noEffect]);
  });
});

describe('work that fails after the payment', () => {
  it('is done when the request is repeated, without another payment', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    handle = () => Promise.reject(new Error('carrier failed'));
    const [failed, changed] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([failed.status, failed.body.error, changed]).toEqual([500, 'internal_error', onePayment]);
    // The answer has the receipt of the payment.
    const paid = receiptOf(failed);
    expect(paid.success).toBe(true);
    handle = succeed;
    const [done, rest] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([done.status, rest]).toEqual([201, { runs: 1, sent: 0, received: 0 }]);
    expect(receiptOf(done)).toEqual(paid);
  });

  it('is done when the request is repeated after a rejection', async () => {
    const accepted = await offered(server.url, { units: 1 });
    const payment = await signPayment(await chain.newPayer(), { accepted });
    handle = () => Promise.reject(new ParleyError('CONFLICT', 'Sold out.', { reason: 'out_of_stock' }));
    const [refused, changed] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([refused.status, refused.body.error, changed]).toEqual([409, 'out_of_stock', onePayment]);
    const other = await pay(server.url, { units: 1, item: 'other' }, payment);
    expect(other.body.reason).toBe('payment_already_used');
    handle = succeed;
    const [done, rest] = await change(() => pay(server.url, { units: 1 }, payment));
    expect([done.status, rest]).toEqual([201, { runs: 1, sent: 0, received: 0 }]);
  });
});
