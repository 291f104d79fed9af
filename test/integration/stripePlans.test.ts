import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { StripeServer } from '../harness/StripeServer.ts';
import { api, newCustomer, queryDatabase, wrongBalances } from './accountSupport.ts';
import {
  creditsOf,
  paymentsOf,
  settled,
  stripeSettings,
  subscribe,
  subscriptionOf,
  topUp,
} from './stripeSupport.ts';

/* What is paid again and again, and what is paid back. */

let stripe: StripeServer;
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  stripe = await StripeServer.start();
  server = await ServerProcess.start(stripeSettings(stripe));
  url = server.url;
});
afterAll(async () => {
  await server?.dispose();
  await stripe?.close();
});

type Headers = Record<string, string>;
const someone = async (): Promise<Headers> => (await newCustomer(url)).dashboard;
/** What has happened at Stripe reaches us. */
async function hear(events = stripe.state.takeEvents()): Promise<void> {
  await stripe.deliver(url, events);
  await settled(server);
}
const backwards = () => stripe.state.takeEvents().reverse();

describe('a plan', () => {
  it('is paid by the month, and every paid month brings its credits once', async () => {
    const headers = await someone();
    const subscription = stripe.state.pay(await subscribe(url, headers, 'team'));
    await hear(backwards());
    expect(await subscriptionOf(url, headers)).toMatchObject({
      status: 'active',
      plan: { id: 'team', monthlyCredits: 2_000 },
      cancelAtPeriodEnd: false,
    });
    expect(await creditsOf(url, headers)).toBe(2_000);
    const { currentPeriodEnd } = await subscriptionOf(url, headers);
    stripe.state.renew(subscription);
    stripe.state.renew(subscription);
    const events = stripe.state.takeEvents();
    await hear([...events].reverse());
    await hear(events);
    expect(await creditsOf(url, headers)).toBe(6_000);
    expect((await subscriptionOf(url, headers)).currentPeriodStart).not.toBe(currentPeriodEnd);
    expect(await paymentsOf(url, headers)).toMatchObject(
      Array.from({ length: 3 }, () => ({ kind: 'plan', status: 'paid', amount: '15.00', credits: 2_000 })),
    );
    // Its months are Stripe's: no due row of ours begins another.
    expect(await queryDatabase(server, `SELECT * FROM due WHERE kind = 'plan period'`)).toEqual([]);
    expect((await api(url, 'GET', '/account', headers)).body.plan).toBe('team');
  });

  it('is past due when a card is declined, brings nothing, and goes on once it is paid', async () => {
    const headers = await someone();
    const subscription = stripe.state.pay(await subscribe(url, headers, 'solo'));
    const early = stripe.state.takeEvents();
    stripe.state.decline(subscription);
    await hear();
    expect((await subscriptionOf(url, headers)).status).toBe('past_due');
    // What was said before the decline comes after it.
    await hear(early);
    expect((await subscriptionOf(url, headers)).status).toBe('past_due');
    stripe.state.renew(subscription);
    await hear();
    expect((await subscriptionOf(url, headers)).status).toBe('active');
    expect(await creditsOf(url, headers)).toBe(600);
  });

  it('is one at a time; canceled, it ends with its month', async () => {
    const headers = await someone();
    const [left, taken] = [await subscribe(url, headers, 'solo'), await subscribe(url, headers, 'team')];
    // The page that was left open can't be paid any more.
    expect(stripe.state.sessions.get(left)?.status).toBe('expired');
    const subscription = stripe.state.pay(taken);
    await hear();
    const again = await api(url, 'POST', '/account/subscription', headers, { planId: 'solo' });
    expect([again.status, again.body.error]).toEqual([409, 'conflict']);
    const { status, body } = await api(url, 'DELETE', '/account/subscription', headers);
    expect([status, body.status, body.cancelAtPeriodEnd]).toEqual([200, 'active', true]);
    await hear();
    stripe.state.end(subscription);
    await hear();
    expect((await subscriptionOf(url, headers)).status).toBe('canceled');
    expect((await api(url, 'GET', '/account', headers)).body.plan).toBeNull();
    expect((await api(url, 'DELETE', '/account/subscription', headers)).status).toBe(409);
    // The old one's news does not end the next one.
    stripe.state.pay(await subscribe(url, headers, 'solo'));
    await hear();
    stripe.state.end(subscription);
    await hear();
    expect(await subscriptionOf(url, headers)).toMatchObject({ status: 'active', plan: { id: 'solo' } });
  });

  it('paid twice at once is kept once: the second ends at Stripe', async () => {
    const headers = await someone();
    const [first, second] = [await subscribe(url, headers, 'solo'), await subscribe(url, headers, 'solo')];
    const [one, two] = [stripe.state.pay(first), stripe.state.pay(second)];
    await hear();
    const statuses = [one, two].map((id) => stripe.state.subscriptions.get(id)?.status);
    expect(statuses.sort()).toEqual(['active', 'canceled']);
    expect((await subscriptionOf(url, headers)).status).toBe('active');
    await hear();
    expect((await subscriptionOf(url, headers)).status).toBe('active');
  });

  it('has to be one there is', async () => {
    const reply = await api(url, 'POST', '/account/subscription', await someone(), { planId: 'none' });
    expect([reply.status, reply.body.error]).toEqual([404, 'not_found']);
  });
});

describe('money that goes back', () => {
  it('takes its credits along, in part or whole, once', async () => {
    const headers = await someone();
    const charge = stripe.state.pay(await topUp(url, headers, 1_000));
    await hear();
    stripe.state.refund(charge, 250);
    const partly = stripe.state.takeEvents();
    await hear(partly);
    await hear([...partly].reverse());
    expect(await creditsOf(url, headers)).toBe(750);
    expect(await paymentsOf(url, headers)).toMatchObject([
      { status: 'partially_refunded', creditsTakenBack: 250 },
    ]);
    stripe.state.refund(charge, 750);
    await hear(backwards());
    expect(await creditsOf(url, headers)).toBe(0);
    expect(await paymentsOf(url, headers)).toMatchObject([{ status: 'refunded', creditsTakenBack: 1_000 }]);
    const { body } = await api(url, 'GET', '/account/usage', headers);
    expect(body.totals).toMatchObject({ credits: 0 });
  });

  it('is known before its payment is: the payment is looked for', async () => {
    const headers = await someone();
    const charge = stripe.state.pay(await topUp(url, headers, 1_000));
    stripe.state.refund(charge, 1_000);
    await hear(backwards());
    expect(await creditsOf(url, headers)).toBe(0);
    expect(await paymentsOf(url, headers)).toMatchObject([{ status: 'refunded', creditsTakenBack: 1_000 }]);
  });

  it('takes what there is, and no later credits', async () => {
    const headers = await someone();
    const charge = stripe.state.pay(await topUp(url, headers, 1_000));
    await hear();
    await queryDatabase(
      server,
      `WITH a AS (UPDATE accounts SET credits = credits - 900
         WHERE id = (SELECT account_id FROM payments ORDER BY seq DESC LIMIT 1) RETURNING *)
       INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id)
       SELECT 'txn_spent', id, 'debit', 'sms', 900, credits, 'spent', 'reservation', 'x' FROM a`,
    );
    stripe.state.dispute(charge);
    const events = stripe.state.takeEvents();
    await hear(events);
    expect(await creditsOf(url, headers)).toBe(0);
    expect(await paymentsOf(url, headers)).toMatchObject([{ status: 'disputed', creditsTakenBack: 100 }]);
    stripe.state.pay(await topUp(url, headers, 200));
    await hear();
    await hear(events);
    expect(await creditsOf(url, headers)).toBe(200);
  });

  it('comes back with a dispute that is won, not with one that is lost', async () => {
    const headers = await someone();
    const [won, lost] = [
      stripe.state.pay(await topUp(url, headers, 300)),
      stripe.state.pay(await topUp(url, headers, 500)),
    ];
    await hear();
    const disputes = [stripe.state.dispute(won), stripe.state.dispute(lost)];
    await hear();
    expect(await creditsOf(url, headers)).toBe(0);
    stripe.state.closeDispute(disputes[0] ?? '', 'won');
    stripe.state.closeDispute(disputes[1] ?? '', 'lost');
    const closed = stripe.state.takeEvents();
    await hear(closed);
    await hear(closed);
    expect(await creditsOf(url, headers)).toBe(300);
    expect((await paymentsOf(url, headers)).map(({ status }) => status)).toEqual(['disputed', 'paid']);
  });

  it('may be a plan’s month', async () => {
    const headers = await someone();
    const subscription = stripe.state.pay(await subscribe(url, headers, 'solo'));
    const charge = stripe.state.renew(subscription);
    stripe.state.refund(charge, 300);
    await hear(backwards());
    expect(await creditsOf(url, headers)).toBe(300);
  });
});

it('fails at nothing on the way', () => {
  expect(server.logged('due row failed')).toEqual([]);
});

it('leaves every balance the sum of its ledger', async () => {
  expect(await wrongBalances(server)).toEqual([]);
});
