import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { keyScopes } from '../../../sdk/protocol/http.ts';
import type { WireEsimPackage } from '../../../sdk/protocol/esim.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from '../money/accountSupport.ts';
import { offered, post, signPayment, startPaymentChain, type PaymentChain } from '../money/paymentSupport.ts';
import { FakeAiralo, type Ordering } from './FakeAiralo.ts';
import { bearer, type Reply } from '../support.ts';

let airalo: FakeAiralo;
let chain: PaymentChain;
let server: ServerProcess;
let key: Record<string, string>;
const packageId = 'kallur-digital-7days-1gb';

const settings = {
  ESIM_DRIVER: 'airalo',
  AIRALO_CLIENT_ID: 'the client',
  AIRALO_CLIENT_SECRET: 'the secret',
  ESIM_MARKUP_PERCENT: '10',
  ESIM_SETTLE_SECONDS: '3',
  REQUEST_LEASE_SECONDS: '2',
  SIGNUP_CREDITS: '10000',
};

beforeAll(async () => {
  airalo = await FakeAiralo.start();
  chain = await startPaymentChain();
  server = await ServerProcess.start({ ...settings, ...chain.settings, AIRALO_URL: airalo.url });
  key = await newKeyOf();
});
afterAll(async () => {
  await server?.dispose();
  await airalo?.close();
  chain?.stop();
});
afterEach(() => {
  airalo.ordering = 'sells';
  airalo.isUnreachable = false;
});

const newKeyOf = async () =>
  bearer((await newKey(server.url, await newCustomer(server.url), { scopes: keyScopes })).secret);
const checkOut = (body: object = {}, headers = key): Promise<Reply> =>
  api(server.url, 'POST', '/esim/checkout', headers, { packageId, ...body });
const order = async (id: unknown) => (await api(server.url, 'GET', `/esim/orders/${String(id)}`, key)).body;
const credits = async (headers = key) => (await api(server.url, 'GET', '/account/credits', headers)).body;
const attempts = () =>
  airalo.received.filter(({ method, path }) => method === 'POST' && path === '/v2/orders').length;

describe('Airalo', () => {
  it('fills the catalogue with marked-up prices, without top-ups and unreadable packages', async () => {
    const { data } = (await api(server.url, 'GET', '/esim/packages', key)).body;
    expect(data).toMatchObject([
      { id: packageId, countries: ['FO'], dataMegabytes: 1024, validDays: 7, credits: 495, available: true },
      { id: 'discover-unlimited', countries: ['DE', 'JP'], dataMegabytes: null, credits: 3299 },
    ]);
    expect(data as WireEsimPackage[]).toHaveLength(2);
    expect(airalo.tokens).toBe(1);
  });

  it('may be unreachable when the server starts: the first order afterwards gets the prices', async () => {
    const unreachable = await FakeAiralo.start();
    unreachable.isUnreachable = true;
    const late = await ServerProcess.start({ ...settings, AIRALO_URL: unreachable.url });
    try {
      const { secret } = await newKey(late.url, await newCustomer(late.url), { scopes: keyScopes });
      const order = () => api(late.url, 'POST', '/esim/checkout', bearer(secret), { packageId });
      expect((await order()).status).toBe(502);
      unreachable.isUnreachable = false;
      expect((await order()).status).toBe(201);
    } finally {
      await late.dispose();
      await unreachable.close();
    }
  });

  it('gets no order from a dry run', async () => {
    const before = attempts();
    expect((await checkOut({ dryRun: true })).body).toMatchObject({ status: 'dry_run', quotedCredits: 495 });
    expect(attempts()).toBe(before);
  });

  it('receives the order id as the reference', async () => {
    const reply = await checkOut({ quantity: 2, email: 'ada@example.org' });
    expect([reply.status, reply.body]).toMatchObject([201, { status: 'completed', credits: 990 }]);
    expect(reply.body.esims).toMatchObject([
      {
        smdpAddress: 'lpa.airalo.com',
        activationCode: expect.stringMatching(/^LPA:1\$lpa.airalo.com\$TEST-/) as string,
      },
      {},
    ]);
    const form = new URLSearchParams(airalo.received.findLast(({ method }) => method === 'POST')?.body);
    expect(Object.fromEntries(form)).toEqual({
      package_id: packageId,
      quantity: '2',
      type: 'sim',
      description: reply.body.orderId,
      to_email: 'ada@example.org',
      'sharing_option[]': 'link',
    });
  });

  it('is asked for a new token when the old one has expired', async () => {
    airalo.expired.add(`token-${airalo.tokens}`);
    const before = airalo.bought.length;
    expect((await checkOut()).status).toBe(201);
    expect(airalo.bought).toHaveLength(before + 1);
  });

  it('is asked for one token by many orders', async () => {
    airalo.expired.add(`token-${airalo.tokens}`);
    const before = airalo.tokens;
    airalo.mostTokens = before + 3;
    airalo.tokenAfterMs = 300;
    const replies = await Promise.all(Array.from({ length: 8 }, () => checkOut()));
    airalo.mostTokens = Infinity;
    airalo.tokenAfterMs = 0;
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    expect(airalo.tokens).toBe(before + 1);
  });

  it.each<[string, Ordering, number, string]>([
    [
      'out of stock (33)',
      { status: 422, body: { code: 33, reason: 'Insufficient stock' } },
      409,
      'out_of_stock',
    ],
    [
      'out of stock (34)',
      { status: 422, body: { code: 34, reason: 'invalid or out of stock' } },
      409,
      'out_of_stock',
    ],
    [
      'insufficient Airalo credit',
      { status: 422, body: { code: 11, reason: 'Insufficient Airalo Credit' } },
      502,
      'upstream_error',
    ],
    ['rate limit', { status: 429, headers: { 'retry-after': '9' } }, 503, 'service_unavailable'],
  ])('fails an order without charge: %s', async (_case, ordering, status, error) => {
    const before = await credits();
    airalo.ordering = ordering;
    const reply = await checkOut();
    expect([reply.status, reply.body.error]).toEqual([status, error]);
    expect(reply.text).not.toContain('Airalo Credit');
    expect((await credits()).credits).toBe(before.credits);
    const [row] = await queryDatabase(
      server,
      'SELECT status FROM esim_orders ORDER BY created_at DESC LIMIT 1',
    );
    expect(row).toEqual({ status: 'failed' });
  });

  it.each([
    ['fails after the sale', 'sells and fails'],
    ['only accepts the order', 'sells later'],
  ] as const)(
    'completes an order by its reference when Airalo %s, without ordering again',
    async (_, how) => {
      const before = await credits();
      const asked = attempts();
      airalo.ordering = how;
      const reply = await checkOut({ quantity: 2 });
      expect([reply.status, reply.body]).toMatchObject([202, { status: 'pending', esims: [], credits: 990 }]);
      const { orderId } = reply.body;
      expect(await order(orderId)).toMatchObject({ status: 'pending', esims: [] });
      await until(async () => (await order(orderId)).status === 'completed', 'the order is completed');
      expect((await order(orderId)).esims).toHaveLength(2);
      expect(attempts()).toBe(asked + 1);
      expect(await credits()).toMatchObject({ credits: Number(before.credits) - 990, reserved: 0 });
    },
  );

  describe('that is paid by x402', () => {
    async function newPayment() {
      const payer = await chain.newPayer();
      const accepted = await offered(server.url, { packageId }, '/esim/checkout');
      const header = { 'PAYMENT-SIGNATURE': await signPayment(payer, { accepted }) };
      const read = async () => {
        const query = `SELECT p.status AS payment, o.status AS order
          FROM x402_payments p JOIN esim_orders o ON o.charge_id = p.id WHERE p.payer = $1 ORDER BY o.seq`;
        return queryDatabase(server, query, [payer.address]);
      };
      return { read, request: () => post(server.url, '/esim/checkout', { packageId }, header) };
    }

    it('fails while its outcome is unknown, and gives the eSIMs to the repeated request', async () => {
      const [asked, { read, request }] = [attempts(), await newPayment()];
      airalo.ordering = 'sells and fails';
      const first = await request();
      // The order stays pending.
      airalo.isUnreachable = true;
      const second = await request();
      for (const { status, headers } of [first, second])
        expect([status, headers['retry-after']]).toEqual([503, '30']);
      expect(await read()).toEqual([{ payment: 'settled', order: 'submitting' }]);
      airalo.isUnreachable = false;
      await until(async () => (await read())[0]?.order === 'completed', 'the order is completed');
      const third = await request();
      expect([third.status, third.body]).toMatchObject([201, { status: 'completed', esims: [{}] }]);
      expect((await request()).text).toBe(third.text);
      expect(await read()).toEqual([{ payment: 'done', order: 'completed' }]);
      expect(attempts()).toBe(asked + 1);
    });

    it('is repeated by the next request once it is certain that nothing was sold', async () => {
      const { read, request } = await newPayment();
      airalo.ordering = { status: 500, body: 'down' };
      expect((await request()).status).toBe(503);
      await until(async () => (await read())[0]?.order === 'failed', 'the order fails');
      airalo.ordering = 'sells';
      const { status, body } = await request();
      expect([status, body]).toMatchObject([201, { status: 'completed', esims: [{}] }]);
      expect(await read()).toEqual([
        { payment: 'done', order: 'failed' },
        { payment: 'done', order: 'completed' },
      ]);
    });
  });

  it('refunds the credits once it is certain that a failed order sold nothing', async () => {
    const before = await credits();
    const asked = attempts();
    airalo.ordering = { status: 500, body: 'down' };
    const { status, body } = await checkOut();
    expect([status, body.status]).toEqual([202, 'pending']);
    // While Airalo is unreachable, the order stays pending.
    airalo.isUnreachable = true;
    const requestsBefore = airalo.received.length;
    await until(() => airalo.received.length > requestsBefore, 'Airalo is asked');
    expect(await order(body.orderId)).toMatchObject({ status: 'pending' });
    airalo.isUnreachable = false;
    await until(async () => (await order(body.orderId)).status === 'failed', 'the order fails');
    expect(await order(body.orderId)).toMatchObject({
      error: { code: 'not_ordered' },
      credits: 0,
      esims: [],
    });
    expect(await credits()).toMatchObject({ credits: before.credits, reserved: 0 });
    expect(attempts()).toBe(asked + 1);
    expect(await wrongBalances(server)).toEqual([]);
  });

  it('is not asked for the order of a former provider, which is refunded', async () => {
    const before = await credits();
    airalo.ordering = 'sells and fails';
    const { orderId } = (await checkOut()).body;
    await queryDatabase(server, `UPDATE esim_orders SET provider = 'former' WHERE id = $1`, [orderId]);
    await until(async () => (await order(orderId)).status === 'failed', 'the order fails');
    expect(await credits()).toMatchObject({ credits: before.credits, reserved: 0 });
    // The operator can look there.
    await server.waitForLog('eSIM order of a former provider was refunded');
  });
});

describe('a server killed during an order', () => {
  async function killWhileOrdering(ordering: Ordering): Promise<Record<string, string>> {
    const headers = await newKeyOf();
    airalo.ordering = ordering;
    const asked = attempts();
    const lost = checkOut({}, { ...headers, 'Idempotency-Key': 'one' }).catch(() => 'lost');
    await until(() => attempts() > asked, 'Airalo is asked');
    expect(await credits(headers)).toMatchObject({ reserved: 495 });
    await server.kill();
    expect(await lost).toBe('lost');
    airalo.ordering = 'sells';
    await server.start();
    return headers;
  }

  it('charges and stores what was sold, and does not order again', async () => {
    const [asked, sold] = [attempts(), airalo.bought.length];
    const headers = await killWhileOrdering('sells and hangs');
    await until(async () => (await credits(headers)).reserved === 0, 'the reservation is settled');
    expect(await credits(headers)).toMatchObject({ credits: 10_000 - 495 });
    expect([attempts(), airalo.bought.length]).toEqual([asked + 1, sold + 1]);
    const [row] = await queryDatabase(
      server,
      'SELECT id, status FROM esim_orders ORDER BY created_at DESC LIMIT 1',
    );
    expect(row?.status).toBe('completed');
    const found = await api(server.url, 'GET', `/esim/orders/${String(row?.id)}`, headers);
    expect(found.body.esims).toMatchObject([{ smdpAddress: 'lpa.airalo.com' }]);
    // The response was never stored. Repeating the request returns the completed order instead of buying again.
    const again = await checkOut({}, { ...headers, 'Idempotency-Key': 'one' });
    expect([again.status, again.body.status]).toEqual([201, 'completed']);
    expect(JSON.stringify(again.body)).toContain(String(row?.id));
    expect(attempts()).toBe(asked + 1);
    expect(await wrongBalances(server)).toEqual([]);
  });

  it('releases the credits when nothing was sold, and accepts the same request again', async () => {
    const sold = airalo.bought.length;
    const headers = await killWhileOrdering('hangs');
    await until(async () => (await credits(headers)).reserved === 0, 'the reservation is settled');
    expect(await credits(headers)).toMatchObject({ credits: 10_000 });
    expect(airalo.bought).toHaveLength(sold);
    const again = await checkOut({}, { ...headers, 'Idempotency-Key': 'one' });
    expect([again.status, again.body.status]).toEqual([201, 'completed']);
    expect(airalo.bought).toHaveLength(sold + 1);
    expect(await credits(headers)).toMatchObject({ credits: 10_000 - 495, reserved: 0 });
    expect(await wrongBalances(server)).toEqual([]);
  });
});
