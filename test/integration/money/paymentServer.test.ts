import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { privateKeyToAccount } from 'viem/accounts';
import type { Address, Hex } from 'viem';
import { blocksOf, root } from '../../docs/blocks.ts';
import { routeTable, type Services } from '../../../server/api/routes.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { api, newCustomer, queryDatabase } from './accountSupport.ts';
import { offered, post, signPayment } from './paymentSupport.ts';
import { bearer, newWallet, signIn } from '../support.ts';

/* Which routes of a server with `--demo-chain` require payment, and that it takes none for unavailable goods. */

const operator = newWallet();
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({ OPERATOR_WALLETS: operator.address }, ['--demo-chain']);
});
afterAll(() => server?.dispose());

/** The token and the funded wallet that the server prints when it starts. */
function demoWallet() {
  const [, token, key] =
    /test dollars at (0x[0-9a-fA-F]{40})[^]*1,000 of them: (0x[0-9a-f]{64})/.exec(server.log) ?? [];
  return { token: token as Address, key: key as Hex, payer: privateKeyToAccount(key as Hex) };
}

/** A proxy in front of the server that loses the first answer to a request with a payment. */
async function losingProxy() {
  let isLost = false;
  const proxy = createServer((request, response) => {
    void request.toArray().then(async (chunks: Buffer[]) => {
      const { 'content-type': type = '', 'payment-signature': payment } = request.headers;
      const answer = await fetch(`${server.url}${request.url}`, {
        method: request.method ?? '',
        headers: { 'Content-Type': type, ...(payment ? { 'PAYMENT-SIGNATURE': String(payment) } : {}) },
        body: Buffer.concat(chunks),
      });
      const body = await answer.text();
      if (payment && !isLost) {
        isLost = true;
        response.destroy();
      } else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { proxy, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
}

const paid = routeTable({ identity: {}, billing: {} } as Services).filter(({ x402 }) => x402);
const prices: Record<string, string> = {
  '/sms/send': '20000',
  '/lookup': '10000',
  '/leaksearch/search': '100000',
  '/esim/checkout': '1000000',
  '/verifications/start': '50000',
};

describe('npm start -- --demo-chain', () => {
  it.each(paid.map(({ path }) => path))('requires payment on %s', async (path) => {
    const accepted = await offered(server.url, {}, path);
    expect(accepted).toMatchObject({
      amount: prices[path],
      asset: demoWallet().token,
      network: 'eip155:31337',
    });
    const reply = await post(server.url, path, {});
    expect(String(reply.headers['www-authenticate'])).toBe('undefined');
  });

  it('multiplies the price by the segments or eSIMs in the body', async () => {
    const message = 'x'.repeat(161);
    expect((await offered(server.url, { to: '+15005550006', message }, '/sms/send')).amount).toBe('40000');
    const quantity = { packageId: 'eu-1gb', quantity: 3 };
    expect((await offered(server.url, quantity, '/esim/checkout')).amount).toBe('13500000');
  });

  it('takes no payment for unavailable goods', async () => {
    const body = { packageId: 'moon-1gb' };
    const accepted = await offered(server.url, body, '/esim/checkout');
    const payment = await signPayment(demoWallet().payer, { accepted });
    const reply = await post(server.url, '/esim/checkout', body, { 'PAYMENT-SIGNATURE': payment });
    expect([reply.status, reply.body.error, reply.headers['payment-response']]).toEqual([
      404,
      'not_found',
      undefined,
    ]);
    const soldOut = await post(
      server.url,
      '/esim/checkout',
      { packageId: 'aq-1gb' },
      { 'PAYMENT-SIGNATURE': payment },
    );
    expect([soldOut.status, soldOut.body.error]).toEqual([409, 'out_of_stock']);
    const abroad = { to: '+886912345678' };
    const texted = await post(server.url, '/verifications/start', abroad, { 'PAYMENT-SIGNATURE': payment });
    expect([texted.status, texted.body.error]).toEqual([422, 'unsupported_destination']);
    const invalid = await post(server.url, '/esim/checkout', {}, { 'PAYMENT-SIGNATURE': payment });
    expect([invalid.status, invalid.body.error]).toEqual([422, 'validation_failed']);
    const free = { packageId: 'eu-1gb', dryRun: true };
    const dry = await post(server.url, '/esim/checkout', free, { 'PAYMENT-SIGNATURE': payment });
    expect(dry.status).toBe(422);
    expect(await queryDatabase(server, 'SELECT * FROM x402_payments')).toEqual([]);
  });

  it('is paid once by the example of the guide, although the answer is lost', async () => {
    const [example] = blocksOf('docs/guides/backend-developer.md').filter(({ source }) =>
      source.includes('@x402/fetch'),
    );
    const { token, key } = demoWallet();
    const { proxy, url } = await losingProxy();
    const env = { ...process.env, PARLEY_URL: url, KEY: key, TOKEN: token };
    try {
      const options = { cwd: root, env, timeout: 60_000 };
      const program = ['--input-type=module', '-e', example?.source ?? ''];
      expect((await promisify(execFile)(process.execPath, program, options)).stdout).toBe(example?.output);
    } finally {
      proxy.close();
    }
    expect(await queryDatabase(server, 'SELECT status, service FROM x402_payments')).toEqual([
      { status: 'done', service: 'lookup' },
    ]);
    await queryDatabase(server, 'DELETE FROM x402_payments');
  });

  it('shows payments only to the operator', async () => {
    const customer = await newCustomer(server.url);
    const session = await signIn(server.url, operator, { audience: 'dashboard' });
    const app = await signIn(server.url, operator);
    const list = (headers: Record<string, string>, query = '') =>
      api(server.url, 'GET', `/operator/payments${query}`, headers);
    const outcome = async (headers: Record<string, string>) => {
      const { status, body } = await list(headers);
      return [status, body.error];
    };
    expect(await outcome({})).toEqual([401, 'missing_credentials']);
    expect(await outcome(customer.dashboard)).toEqual([403, 'access_denied']);
    expect(await outcome(bearer(app.token))).toEqual([403, 'session_required']);
    await queryDatabase(
      server,
      `INSERT INTO x402_payments (id, network, asset, payer, nonce, pay_to, amount, service, units, credits, method, path,
         request_hash, sender, status, since_block, valid_before, lease_until, expires_at)
       VALUES ('pay_000000000000000000000000', 'eip155:31337', '0xa', $1, '0x1', '0xb', 20000, 'sms', 1, 2, 'POST',
         '/api/v1/sms/send', '', '', 'failed', 0, now(), now(), now())`,
      [operator.address],
    );
    const { body } = await list(bearer(session.token));
    expect(body).toMatchObject({
      data: [{ payer: operator.address, status: 'failed', amount: '20000', credits: 2, transaction: null }],
      hasMore: false,
    });
    expect((await list(bearer(session.token), '?status=done')).body.data).toEqual([]);
    expect((await list(bearer(session.token), `?payer=${operator.address}`)).body.data).toHaveLength(1);
    expect((await list(bearer(session.token), '?payer=me')).status).toBe(422);
  });
});

describe('a server without X402 settings', () => {
  it('requires a credential', async () => {
    const plain = await ServerProcess.start();
    try {
      const { status, body } = await post(plain.url, '/sms/send', {});
      expect([status, body.error]).toEqual([401, 'missing_credentials']);
    } finally {
      await plain.dispose();
    }
  });
});
