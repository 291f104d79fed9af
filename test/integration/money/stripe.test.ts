import { describe, expect, it } from 'vitest';
import Stripe from 'stripe';
import { webhookSecret } from '../../harness/StripeServer.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances, type Customer } from './accountSupport.ts';
import { bearer } from '../support.ts';
import { creditsOf, paymentsOf, settled, StripeBench, topUp } from './stripeSupport.ts';

/* The official library against a stand-in for Stripe: payments in, credits once, whatever order the news comes in. */

const bench = StripeBench.forThisFile();
const { someone, backwards } = bench;

describe('a top-up', () => {
  it('is a page at Stripe, then credits, then a payment in the list', async () => {
    const headers = await someone();
    const { status, body } = await api(bench.url, 'POST', '/account/top-up', headers, { credits: 1_250 });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^pay_/) as string,
        url: expect.stringMatching(/^https:\/\/checkout\.stripe\.test\//) as string,
        credits: 1_250,
        amount: '12.50',
        currency: 'USD',
        expiresAt: expect.any(String) as string,
      },
    ]);
    expect(await paymentsOf(bench.url, headers)).toMatchObject([
      { id: body.id, status: 'pending', paidAt: null },
    ]);
    bench.stripe.state.pay((body.url as string).split('/').at(-1) ?? '');
    await bench.hear();
    expect(await creditsOf(bench.url, headers)).toBe(1_250);
    expect(await paymentsOf(bench.url, headers)).toEqual([
      {
        id: body.id,
        type: 'stripe',
        kind: 'top_up',
        status: 'paid',
        amount: '12.50',
        currency: 'USD',
        credits: 1_250,
        creditsTakenBack: 0,
        description: 'Top-up of 1250 credits',
        createdAt: expect.any(String) as string,
        paidAt: expect.any(String) as string,
      },
    ]);
    const { body: history } = await api(bench.url, 'GET', '/account/history', headers);
    expect(history.data).toMatchObject([
      { type: 'credit', service: 'payments', amount: 1_250, reference: { type: 'payment', id: body.id } },
    ]);
    const { body: log } = await api(bench.url, 'GET', '/audit-logs?action=credits.granted', headers);
    expect(log.data).toMatchObject([{ actor: { type: 'system' }, credits: 1_250 }]);
  });

  it('brings its credits once, however often and how concurrently Stripe says so', async () => {
    const headers = await someone();
    bench.stripe.state.pay(await topUp(bench.url, headers, 500));
    const [event] = bench.stripe.state.takeEvents();
    if (!event) throw new Error('no event');
    const statuses = await Promise.all(Array.from({ length: 8 }, () => bench.stripe.send(event, bench.url)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    await settled(bench.server);
    await bench.hear([event]);
    await bench.hear([event, event]);
    expect(await creditsOf(bench.url, headers)).toBe(500);
  });

  it('waits for money that takes days', async () => {
    const headers = await someone();
    const [arrives, fails] = [await topUp(bench.url, headers, 300), await topUp(bench.url, headers, 400)];
    bench.stripe.state.pay(arrives, true);
    bench.stripe.state.pay(fails, true);
    await bench.hear();
    expect(await creditsOf(bench.url, headers)).toBe(0);
    bench.stripe.state.settle(arrives, true);
    bench.stripe.state.settle(fails, false);
    await bench.hear(backwards());
    expect(await creditsOf(bench.url, headers)).toBe(300);
  });

  it('is one Checkout per Idempotency-Key, and one customer per account', async () => {
    const owner = await someone();
    const headers = { ...owner, 'Idempotency-Key': 'once' };
    const before = bench.stripe.requests.filter((name) => name === 'POST /v1/customers').length;
    const [first, again] = [
      await api(bench.url, 'POST', '/account/top-up', headers, { credits: 700 }),
      await api(bench.url, 'POST', '/account/top-up', headers, { credits: 700 }),
    ];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    await topUp(bench.url, owner, 700);
    expect(bench.stripe.requests.filter((name) => name === 'POST /v1/customers')).toHaveLength(before + 1);
    bench.stripe.state.expire((first.body.url as string).split('/').at(-1) ?? '');
    await bench.hear();
    expect((await paymentsOf(bench.url, headers)).map(({ status }) => status)).toEqual([
      'pending',
      'expired',
    ]);
  });

  it('is for dashboard sessions, within bounds', async () => {
    const customer: Customer = await newCustomer(bench.url);
    const key = await newKey(bench.url, customer);
    for (const headers of [customer.app, bearer(key.secret)]) {
      const { status, body } = await api(bench.url, 'POST', '/account/top-up', headers, { credits: 500 });
      expect([status, body.error]).toEqual([403, 'session_required']);
    }
    for (const credits of [0, 99, 1.5, 1_000_001, '500']) {
      const { status } = await api(bench.url, 'POST', '/account/top-up', customer.dashboard, { credits });
      expect(status).toBe(422);
    }
  });

  it('is 503 or 502 while Stripe is away, and nothing is owed', async () => {
    const headers = await someone();
    bench.stripe.failing = 401;
    const refused = await api(bench.url, 'POST', '/account/top-up', headers, { credits: 500 });
    bench.stripe.failing = null;
    expect([refused.status, refused.body.error]).toEqual([502, 'upstream_error']);
    expect(await paymentsOf(bench.url, headers)).toEqual([]);
    expect(refused.text + bench.server.log).not.toContain('sk_test_parley');
  });
});

describe('the webhook', () => {
  const library = new Stripe('sk_test_x');

  it('takes only what Stripe has signed, now', async () => {
    const headers = await someone();
    bench.stripe.state.pay(await topUp(bench.url, headers, 500));
    const [event] = bench.stripe.state.takeEvents();
    if (!event) throw new Error('no event');
    const payload = JSON.stringify(event, null, 2);
    const sign = (more: object) =>
      library.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, ...more });
    const old = Math.floor(Date.now() / 1_000) - 3_600;
    for (const over of [
      { header: '' },
      { header: 'nonsense' },
      { header: sign({ secret: 'whsec_another' }) },
      { header: sign({ timestamp: old }) },
      { header: sign({}), payload: payload.replace('evt_', 'evt_0') },
      // The same in other bytes.
      { header: sign({}), payload: JSON.stringify(event) },
    ])
      expect(await bench.stripe.send(event, bench.url, over)).toBe(400);
    await settled(bench.server);
    expect(await creditsOf(bench.url, headers)).toBe(0);
    await bench.hear([event]);
    expect(await creditsOf(bench.url, headers)).toBe(500);
  });

  it('ignores what is not ours, and what Stripe does not know', async () => {
    const nothing = { id: 'evt_1', object: 'event' as const, created: 1 };
    const foreign = bench.stripe.state.answer('POST checkout/sessions', {
      mode: 'payment',
      metadata: {},
      line_items: [{ price_data: { unit_amount: '500' } }],
    }) as { id: string };
    bench.stripe.state.pay(foreign.id);
    await bench.hear();
    await bench.hear([
      { ...nothing, type: 'charge.refunded', data: { object: { object: 'charge', id: 'ch_unknown' } } },
      { ...nothing, type: 'product.created', data: { object: { object: 'product', id: 'prod_1' } } },
      { ...nothing, type: 'odd', data: { object: {} } },
    ]);
    expect(
      await queryDatabase(bench.server, `SELECT FROM payments WHERE checkout_id = $1`, [foreign.id]),
    ).toEqual([]);
  });
});

it('fails at nothing on the way', () => {
  expect(bench.server.logged('scheduled job failed')).toEqual([]);
});

it('leaves every balance the sum of its ledger', async () => {
  expect(await wrongBalances(bench.server)).toEqual([]);
});
