import { createPublicClient, http, type Address, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDollar } from '../../../server/chains/demo/testDollar.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { loopbackPool } from '../../../server/telephony/sms/loopback/fiction.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { newCustomer, newKey } from './accountSupport.ts';
import { network, offered, payingFetch, post, receiptOf, signPayment } from './paymentSupport.ts';
import { goodRequests } from '../http/routeSamples.ts';
import { bearer } from '../support.ts';

/* Pays every route of the route table that accepts x402, with x402's own client. */

const priced = routeTable({ identity: {}, billing: {} } as Services).filter(({ x402 }) => x402);
const payments: string[] = [];

let server: ServerProcess;
let payer: ReturnType<typeof privateKeyToAccount>;
let balance: () => Promise<bigint>;
let paidFetch: typeof fetch;

beforeAll(async () => {
  server = await ServerProcess.start({}, ['--demo-chain']);
  const [, token, key] =
    /test dollars at (0x[0-9a-fA-F]{40})[^]*1,000 of them: (0x[0-9a-f]{64})/.exec(server.log) ?? [];
  const [, rpc] = /chain \d+ at (http\S+),/.exec(server.log) ?? [];
  payer = privateKeyToAccount(key as Hex);
  const chain = createPublicClient({ transport: http(rpc) });
  balance = () =>
    chain.readContract({
      address: token as Address,
      abi: testDollar.abi,
      functionName: 'balanceOf',
      args: [payer.address],
    }) as Promise<bigint>;
  paidFetch = payingFetch(payer, token as Address, (input, init) => {
    const request = new Request(input, init);
    const payment = request.headers.get('PAYMENT-SIGNATURE');
    if (payment) payments.push(payment);
    return fetch(request);
  });
});
afterAll(() => server?.dispose());

describe.each(priced.map((row) => [`${row.method.toUpperCase()} ${row.path}`, row] as const))(
  '%s',
  (name, { method, path, status }) => {
    const body = goodRequests[name];
    const statuses = path === '/esim/checkout' ? [201] : [status];

    it('is a POST with an example in routeSamples.ts', () => {
      expect([method, body]).toEqual(['post', expect.any(Object)]);
    });

    it('requires payment without a credential, and rejects malformed payments', async () => {
      const before = await balance();
      const unpaid = await post(server.url, path, body);
      expect([unpaid.status, unpaid.body.error]).toEqual([402, 'payment_required']);
      expect(unpaid.headers['payment-required']).toBeTypeOf('string');
      for (const garbage of ['x', 'e30=', Buffer.from('{"x402Version":2}').toString('base64')]) {
        const refused = await post(server.url, path, body, { 'PAYMENT-SIGNATURE': garbage });
        expect([refused.status, refused.body.error]).toEqual([402, 'payment_failed']);
        expect(refused.headers['payment-required']).toBeTypeOf('string');
      }
      expect(await balance()).toBe(before);
    });

    it('is served for a payment, and once for a repeated payment', async () => {
      const price = BigInt((await offered(server.url, body, path)).amount);
      const before = await balance();
      const response = await paidFetch(`${server.url}/api/v1${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const answer = (await response.json()) as object;
      expect([statuses, answer]).toEqual([[response.status], answer]);
      expect(response.headers.get('PAYMENT-RESPONSE')).toBeTypeOf('string');
      expect(await balance()).toBe(before - price);
      const again = await post(server.url, path, body, { 'PAYMENT-SIGNATURE': payments.at(-1) ?? '' });
      expect([again.status, again.body]).toEqual([response.status, answer]);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(await balance()).toBe(before - price);
    });

    it('takes no payment for an invalid body, and the payment stays valid', async () => {
      const accepted = await offered(server.url, body, path);
      const before = await balance();
      const payment = { 'PAYMENT-SIGNATURE': await signPayment(payer, { accepted }) };
      const invalid = await post(server.url, path, { ...body, unknown: true }, payment);
      expect([invalid.status, invalid.body.error]).toEqual([422, 'validation_failed']);
      expect(await balance()).toBe(before);
      const served = await post(server.url, path, body, payment);
      expect([served.body, statuses]).toEqual([served.body, [served.status]]);
      expect(receiptOf(served)).toMatchObject({ success: true, network, payer: payer.address });
      expect(await balance()).toBe(before - BigInt(accepted.amount));
    });
  },
);

it('takes no payment for a text if each pool number already has a thread with the recipient', async () => {
  const body = { to: '+14155550123', message: 'hello' };
  for (const _number of loopbackPool) {
    const { secret } = await newKey(server.url, await newCustomer(server.url), { scopes: ['sms:send'] });
    expect((await post(server.url, '/sms/send', body, bearer(secret))).status).toBe(202);
  }
  const accepted = await offered(server.url, body, '/sms/send');
  const before = await balance();
  const payment = { 'PAYMENT-SIGNATURE': await signPayment(payer, { accepted }) };
  const refused = await post(server.url, '/sms/send', body, payment);
  expect([refused.status, refused.body.error]).toEqual([503, 'no_pool_number']);
  expect(await balance()).toBe(before);
});
