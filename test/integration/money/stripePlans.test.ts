import { describe, expect, it } from 'vitest';
import { api, queryDatabase, wrongBalances } from './accountSupport.ts';
import { creditsOf, paymentsOf, StripeBench, subscribe, subscriptionOf, topUp } from './stripeSupport.ts';

/* What is paid again and again, and what is paid back. */

const bench = StripeBench.forThisFile();
const { someone, backwards } = bench;

describe('a plan', () => {
  it('is paid by the month, and every paid month brings its credits once', async () => {
    const headers = await someone();
    const subscription = bench.stripe.state.pay(await subscribe(bench.url, headers, 'team'));
    await bench.hear(backwards());
    expect(await subscriptionOf(bench.url, headers)).toMatchObject({
      status: 'active',
      plan: { id: 'team', monthlyCredits: 2_000 },
      cancelAtPeriodEnd: false,
    });
    expect(await creditsOf(bench.url, headers)).toBe(2_000);
    const { currentPeriodEnd } = await subscriptionOf(bench.url, headers);
    bench.stripe.state.renew(subscription);
    bench.stripe.state.renew(subscription);
    const events = bench.stripe.state.takeEvents();
    await bench.hear([...events].reverse());
    await bench.hear(events);
    expect(await creditsOf(bench.url, headers)).toBe(6_000);
    expect((await subscriptionOf(bench.url, headers)).currentPeriodStart).not.toBe(currentPeriodEnd);
    expect(await paymentsOf(bench.url, headers)).toMatchObject(
      Array.from({ length: 3 }, () => ({ kind: 'plan', status: 'paid', amount: '15.00', credits: 2_000 })),
    );
    // Its months are Stripe's: no due row of ours begins another.
    expect(await queryDatabase(bench.server, `SELECT * FROM due WHERE kind = 'plan period'`)).toEqual([]);
    expect((await api(bench.url, 'GET', '/account', headers)).body.plan).toBe('team');
  });

  it('is past due when a card is declined, brings nothing, and goes on once it is paid', async () => {
    const headers = await someone();
    const subscription = bench.stripe.state.pay(await subscribe(bench.url, headers, 'solo'));
    const early = bench.stripe.state.takeEvents();
    bench.stripe.state.decline(subscription);
    await bench.hear();
    expect((await subscriptionOf(bench.url, headers)).status).toBe('past_due');
    // What was said before the decline comes after it.
    await bench.hear(early);
    expect((await subscriptionOf(bench.url, headers)).status).toBe('past_due');
    bench.stripe.state.renew(subscription);
    await bench.hear();
    expect((await subscriptionOf(bench.url, headers)).status).toBe('active');
    expect(await creditsOf(bench.url, headers)).toBe(600);
  });

  it('is one at a time; canceled, it ends with its month', async () => {
    const headers = await someone();
    const [left, taken] = [
      await subscribe(bench.url, headers, 'solo'),
      await subscribe(bench.url, headers, 'team'),
    ];
    // The page that was left open can't be paid any more.
    expect(bench.stripe.state.sessions.get(left)?.status).toBe('expired');
    const subscription = bench.stripe.state.pay(taken);
    await bench.hear();
    const again = await api(bench.url, 'POST', '/account/subscription', headers, { planId: 'solo' });
    expect([again.status, again.body.error]).toEqual([409, 'conflict']);
    const { status, body } = await api(bench.url, 'DELETE', '/account/subscription', headers);
    expect([status, body.status, body.cancelAtPeriodEnd]).toEqual([200, 'active', true]);
    await bench.hear();
    bench.stripe.state.end(subscription);
    await bench.hear();
    expect((await subscriptionOf(bench.url, headers)).status).toBe('canceled');
    expect((await api(bench.url, 'GET', '/account', headers)).body.plan).toBeNull();
    expect((await api(bench.url, 'DELETE', '/account/subscription', headers)).status).toBe(409);
    // The old one's news does not end the next one.
    bench.stripe.state.pay(await subscribe(bench.url, headers, 'solo'));
    await bench.hear();
    bench.stripe.state.end(subscription);
    await bench.hear();
    expect(await subscriptionOf(bench.url, headers)).toMatchObject({
      status: 'active',
      plan: { id: 'solo' },
    });
  });

  it('paid twice at once is kept once: the second ends at Stripe', async () => {
    const headers = await someone();
    const [first, second] = [
      await subscribe(bench.url, headers, 'solo'),
      await subscribe(bench.url, headers, 'solo'),
    ];
    const [one, two] = [bench.stripe.state.pay(first), bench.stripe.state.pay(second)];
    await bench.hear();
    const statuses = [one, two].map((id) => bench.stripe.state.subscriptions.get(id)?.status);
    expect(statuses.sort()).toEqual(['active', 'canceled']);
    expect((await subscriptionOf(bench.url, headers)).status).toBe('active');
    await bench.hear();
    expect((await subscriptionOf(bench.url, headers)).status).toBe('active');
  });

  it('has to be one there is', async () => {
    const reply = await api(bench.url, 'POST', '/account/subscription', await someone(), { planId: 'none' });
    expect([reply.status, reply.body.error]).toEqual([404, 'not_found']);
  });
});

describe('money that goes back', () => {
  it('takes its credits along, in part or whole, once', async () => {
    const headers = await someone();
    const charge = bench.stripe.state.pay(await topUp(bench.url, headers, 1_000));
    await bench.hear();
    bench.stripe.state.refund(charge, 250);
    const partly = bench.stripe.state.takeEvents();
    await bench.hear(partly);
    await bench.hear([...partly].reverse());
    expect(await creditsOf(bench.url, headers)).toBe(750);
    expect(await paymentsOf(bench.url, headers)).toMatchObject([
      { status: 'partially_refunded', creditsTakenBack: 250 },
    ]);
    bench.stripe.state.refund(charge, 750);
    await bench.hear(backwards());
    expect(await creditsOf(bench.url, headers)).toBe(0);
    expect(await paymentsOf(bench.url, headers)).toMatchObject([
      { status: 'refunded', creditsTakenBack: 1_000 },
    ]);
    const { body } = await api(bench.url, 'GET', '/account/usage', headers);
    expect(body.totals).toMatchObject({ credits: 0 });
  });

  it('is known before its payment is: the payment is looked for', async () => {
    const headers = await someone();
    const charge = bench.stripe.state.pay(await topUp(bench.url, headers, 1_000));
    bench.stripe.state.refund(charge, 1_000);
    await bench.hear(backwards());
    expect(await creditsOf(bench.url, headers)).toBe(0);
    expect(await paymentsOf(bench.url, headers)).toMatchObject([
      { status: 'refunded', creditsTakenBack: 1_000 },
    ]);
  });

  it('takes what there is, and no later credits', async () => {
    const headers = await someone();
    const charge = bench.stripe.state.pay(await topUp(bench.url, headers, 1_000));
    await bench.hear();
    await queryDatabase(
      bench.server,
      `WITH a AS (UPDATE accounts SET credits = credits - 900
         WHERE id = (SELECT account_id FROM payments ORDER BY seq DESC LIMIT 1) RETURNING *)
       INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id)
       SELECT 'txn_spent', id, 'debit', 'sms', 900, credits, 'spent', 'reservation', 'x' FROM a`,
    );
    bench.stripe.state.dispute(charge);
    const events = bench.stripe.state.takeEvents();
    await bench.hear(events);
    expect(await creditsOf(bench.url, headers)).toBe(0);
    expect(await paymentsOf(bench.url, headers)).toMatchObject([
      { status: 'disputed', creditsTakenBack: 100 },
    ]);
    bench.stripe.state.pay(await topUp(bench.url, headers, 200));
    await bench.hear();
    await bench.hear(events);
    expect(await creditsOf(bench.url, headers)).toBe(200);
  });

  it('comes back with a dispute that is won, not with one that is lost', async () => {
    const headers = await someone();
    const [won, lost] = [
      bench.stripe.state.pay(await topUp(bench.url, headers, 300)),
      bench.stripe.state.pay(await topUp(bench.url, headers, 500)),
    ];
    await bench.hear();
    const disputes = [bench.stripe.state.dispute(won), bench.stripe.state.dispute(lost)];
    await bench.hear();
    expect(await creditsOf(bench.url, headers)).toBe(0);
    bench.stripe.state.closeDispute(disputes[0] ?? '', 'won');
    bench.stripe.state.closeDispute(disputes[1] ?? '', 'lost');
    const closed = bench.stripe.state.takeEvents();
    await bench.hear(closed);
    await bench.hear(closed);
    expect(await creditsOf(bench.url, headers)).toBe(300);
    expect((await paymentsOf(bench.url, headers)).map(({ status }) => status)).toEqual(['disputed', 'paid']);
  });

  it('may be a plan’s month', async () => {
    const headers = await someone();
    const subscription = bench.stripe.state.pay(await subscribe(bench.url, headers, 'solo'));
    const charge = bench.stripe.state.renew(subscription);
    bench.stripe.state.refund(charge, 300);
    await bench.hear(backwards());
    expect(await creditsOf(bench.url, headers)).toBe(300);
  });
});

it('fails at nothing on the way', () => {
  expect(bench.server.logged('scheduled job failed')).toEqual([]);
});

it('leaves every balance the sum of its ledger', async () => {
  expect(await wrongBalances(bench.server)).toEqual([]);
});
