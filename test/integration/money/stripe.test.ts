import { describe, expect, it } from 'vitest';
import Stripe from 'stripe';
import { webhookSecret } from '../../harness/services/StripeServer.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances, type Customer } from './accountSupport.ts';
import { bearer } from '../support.ts';
import { creditsOf, paymentsOf, settled, StripeFixture, subscribe, topUp } from './stripeSupport.ts';

/* Stripe's own library against a fake Stripe: payments become credits once, in any order of events. */

const fixture = StripeFixture.forThisFile();
const { signUp, reversedEvents } = fixture;

describe('a top-up', () => {
  it('leads to a Checkout page, and its payment to credits and an entry in the list', async () => {
    const headers = await signUp();
    const { status, body } = await api(fixture.url, 'POST', '/account/top-up', headers, { credits: 1_250 });
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
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([
      { id: body.id, status: 'pending', paidAt: null },
    ]);
    fixture.stripe.state.pay((body.url as string).split('/').at(-1) ?? '');
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(1_250);
    expect(await paymentsOf(fixture.url, headers)).toEqual([
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
    const { body: history } = await api(fixture.url, 'GET', '/account/history', headers);
    expect(history.data).toMatchObject([
      { type: 'credit', service: 'payments', amount: 1_250, reference: { type: 'payment', id: body.id } },
    ]);
    const { body: log } = await api(fixture.url, 'GET', '/audit-logs?action=credits.granted', headers);
    expect(log.data).toMatchObject([{ actor: { type: 'system' }, credits: 1_250 }]);
  });

  it('grants its credits once, even if Stripe repeats events simultaneously', async () => {
    const headers = await signUp();
    fixture.stripe.state.pay(await topUp(fixture.url, headers, 500));
    const [event] = fixture.stripe.state.takeEvents();
    if (!event) throw new Error('no event');
    const statuses = await Promise.all(
      Array.from({ length: 8 }, () => fixture.stripe.send(event, fixture.url)),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    await settled(fixture.server);
    await fixture.deliver([event]);
    await fixture.deliver([event, event]);
    expect(await creditsOf(fixture.url, headers)).toBe(500);
  });

  it('waits for payment methods that take days', async () => {
    const headers = await signUp();
    const [arrives, fails] = [await topUp(fixture.url, headers, 300), await topUp(fixture.url, headers, 400)];
    fixture.stripe.state.pay(arrives, true);
    fixture.stripe.state.pay(fails, true);
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    const statuses = async () => (await paymentsOf(fixture.url, headers)).map(({ status }) => status);
    expect(await statuses()).toEqual(['pending', 'pending']);
    fixture.stripe.state.settle(arrives, true);
    fixture.stripe.state.settle(fails, false);
    await fixture.deliver(reversedEvents());
    expect(await creditsOf(fixture.url, headers)).toBe(300);
    expect(await statuses()).toEqual(['failed', 'paid']);
  });

  it('reads the outcome of a payment method that takes days also if no event reports it', async () => {
    const headers = await signUp();
    const session = await topUp(fixture.url, headers, 300);
    fixture.stripe.state.pay(session, true);
    await fixture.deliver();
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([{ status: 'pending' }]);
    fixture.stripe.state.settle(session, true);
    fixture.stripe.state.takeEvents();
    await queryDatabase(fixture.server, 'UPDATE due SET due_at = now() WHERE subject = $1', [
      `checkout.session ${session} again`,
    ]);
    await until(async () => (await creditsOf(fixture.url, headers)) === 300, 'the credits are granted');
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([{ status: 'paid' }]);
  });

  it('creates one Checkout per Idempotency-Key, and one customer per account', async () => {
    const owner = await signUp();
    const headers = { ...owner, 'Idempotency-Key': 'once' };
    const before = fixture.stripe.requests.filter((name) => name === 'POST /v1/customers').length;
    const [first, again] = [
      await api(fixture.url, 'POST', '/account/top-up', headers, { credits: 700 }),
      await api(fixture.url, 'POST', '/account/top-up', headers, { credits: 700 }),
    ];
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    await topUp(fixture.url, owner, 700);
    expect(fixture.stripe.requests.filter((name) => name === 'POST /v1/customers')).toHaveLength(before + 1);
    fixture.stripe.state.expire((first.body.url as string).split('/').at(-1) ?? '');
    await fixture.deliver();
    expect((await paymentsOf(fixture.url, headers)).map(({ status }) => status)).toEqual([
      'pending',
      'expired',
    ]);
  });

  it('creates another customer when the account’s was deleted at Stripe', async () => {
    const headers = await signUp();
    const created = () => fixture.stripe.requests.filter((name) => name === 'POST /v1/customers').length;
    await topUp(fixture.url, headers, 500);
    const before = created();
    for (let time = 1; time <= 2; time++) {
      fixture.stripe.state.deleteCustomers();
      await topUp(fixture.url, headers, 500);
      await subscribe(fixture.url, headers, 'solo');
      expect(created()).toBe(before + time);
    }
    fixture.stripe.state.pay(await topUp(fixture.url, headers, 500));
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(500);
  });

  it('requires a dashboard session and a valid number of credits', async () => {
    const customer: Customer = await newCustomer(fixture.url);
    const key = await newKey(fixture.url, customer);
    for (const headers of [customer.app, bearer(key.secret)]) {
      const { status, body } = await api(fixture.url, 'POST', '/account/top-up', headers, { credits: 500 });
      expect([status, body.error]).toEqual([403, 'session_required']);
    }
    for (const credits of [0, 99, 1.5, 1_000_001, '500']) {
      const { status } = await api(fixture.url, 'POST', '/account/top-up', customer.dashboard, { credits });
      expect(status).toBe(422);
    }
  });

  it('is a 502 without a payment when Stripe rejects the request', async () => {
    const headers = await signUp();
    fixture.stripe.failing = 401;
    const refused = await api(fixture.url, 'POST', '/account/top-up', headers, { credits: 500 });
    fixture.stripe.failing = null;
    expect([refused.status, refused.body.error]).toEqual([502, 'upstream_error']);
    expect(await paymentsOf(fixture.url, headers)).toEqual([]);
    expect(refused.text + fixture.server.log).not.toContain('sk_test_parley');
  });
});

describe('the webhook', () => {
  const library = new Stripe('sk_test_x');

  it('accepts only recent events signed by Stripe', async () => {
    const headers = await signUp();
    fixture.stripe.state.pay(await topUp(fixture.url, headers, 500));
    const [event] = fixture.stripe.state.takeEvents();
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
      // The same event, serialised differently.
      { header: sign({}), payload: JSON.stringify(event) },
    ])
      expect(await fixture.stripe.send(event, fixture.url, over)).toBe(400);
    await settled(fixture.server);
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    await fixture.deliver([event]);
    expect(await creditsOf(fixture.url, headers)).toBe(500);
  });

  it('ignores foreign payments, unknown objects and other event types', async () => {
    const base = { id: 'evt_1', object: 'event' as const, created: 1 };
    const foreign = fixture.stripe.state.answer('POST checkout/sessions', {
      mode: 'payment',
      metadata: {},
      line_items: [{ price_data: { unit_amount: '500' } }],
    }) as { id: string };
    fixture.stripe.state.pay(foreign.id);
    await fixture.deliver();
    await fixture.deliver([
      { ...base, type: 'charge.refunded', data: { object: { object: 'charge', id: 'ch_unknown' } } },
      { ...base, type: 'product.created', data: { object: { object: 'product', id: 'prod_1' } } },
      { ...base, type: 'odd', data: { object: {} } },
    ]);
    expect(
      await queryDatabase(fixture.server, `SELECT FROM payments WHERE checkout_id = $1`, [foreign.id]),
    ).toEqual([]);
  });
});

it('logs no failed job', () => {
  expect(fixture.server.logged('scheduled job failed')).toEqual([]);
});

it('keeps every balance equal to the sum of its movements', async () => {
  expect(await wrongBalances(fixture.server)).toEqual([]);
});
