import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrationsFolder } from '../../../platform/database/database.ts';
import { deleteStatement } from '../../../sdk/protocol/statements.ts';
import { until } from '../../harness/until.ts';
import { bearer, newWallet, signedMessage, signIn } from '../support.ts';
import { api, queryDatabase, wrongBalances } from './accountSupport.ts';
import { creditsOf, paymentsOf, StripeFixture, subscribe, subscriptionOf, topUp } from './stripeSupport.ts';

/* Monthly plans, refunds and disputes. */

const fixture = StripeFixture.forThisFile({ KEEP_PAYMENTS_DAYS: '1', ERASURE_DAYS: '0' });
const { signUp, reversedEvents } = fixture;

describe('a plan', () => {
  it('is paid monthly, and every paid month grants its credits once', async () => {
    const headers = await signUp();
    const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'team'));
    await fixture.deliver(reversedEvents());
    expect(await subscriptionOf(fixture.url, headers)).toMatchObject({
      status: 'active',
      plan: { id: 'team', monthlyCredits: 2_000 },
      cancelAtPeriodEnd: false,
    });
    expect(await creditsOf(fixture.url, headers)).toBe(2_000);
    const { currentPeriodEnd } = await subscriptionOf(fixture.url, headers);
    fixture.stripe.state.renew(subscription);
    fixture.stripe.state.renew(subscription);
    const events = fixture.stripe.state.takeEvents();
    await fixture.deliver([...events].reverse());
    await fixture.deliver(events);
    expect(await creditsOf(fixture.url, headers)).toBe(6_000);
    expect((await subscriptionOf(fixture.url, headers)).currentPeriodStart).not.toBe(currentPeriodEnd);
    expect(await paymentsOf(fixture.url, headers)).toMatchObject(
      Array.from({ length: 3 }, () => ({ kind: 'plan', status: 'paid', amount: '15.00', credits: 2_000 })),
    );
    // Stripe renews the plan, so there is no scheduled job for it.
    expect(await queryDatabase(fixture.server, `SELECT * FROM due WHERE kind = 'plan period'`)).toEqual([]);
    expect((await api(fixture.url, 'GET', '/account', headers)).body.plan).toBe('team');
  });

  it('is past due without credits when a card is declined, and active again once it is paid', async () => {
    const headers = await signUp();
    const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    const early = fixture.stripe.state.takeEvents();
    fixture.stripe.state.decline(subscription);
    await fixture.deliver();
    expect((await subscriptionOf(fixture.url, headers)).status).toBe('past_due');
    // Events from before the decline arrive after it.
    await fixture.deliver(early);
    expect((await subscriptionOf(fixture.url, headers)).status).toBe('past_due');
    fixture.stripe.state.renew(subscription);
    await fixture.deliver();
    expect((await subscriptionOf(fixture.url, headers)).status).toBe('active');
    expect(await creditsOf(fixture.url, headers)).toBe(600);
  });

  it('is the only one of an account, and ends with its month when canceled', async () => {
    const headers = await signUp();
    const [abandoned, completed] = [
      await subscribe(fixture.url, headers, 'solo'),
      await subscribe(fixture.url, headers, 'team'),
    ];
    // The abandoned Checkout page can no longer be paid.
    expect(fixture.stripe.state.sessions.get(abandoned)?.status).toBe('expired');
    const subscription = fixture.stripe.state.pay(completed);
    await fixture.deliver();
    const again = await api(fixture.url, 'POST', '/account/subscription', headers, { planId: 'solo' });
    expect([again.status, again.body.error]).toEqual([409, 'conflict']);
    const { status, body } = await api(fixture.url, 'DELETE', '/account/subscription', headers);
    expect([status, body.status, body.cancelAtPeriodEnd]).toEqual([200, 'active', true]);
    await fixture.deliver();
    fixture.stripe.state.end(subscription);
    await fixture.deliver();
    expect((await subscriptionOf(fixture.url, headers)).status).toBe('canceled');
    expect((await api(fixture.url, 'GET', '/account', headers)).body.plan).toBeNull();
    expect((await api(fixture.url, 'DELETE', '/account/subscription', headers)).status).toBe(409);
    // Events of the old subscription do not end the next one.
    fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    await fixture.deliver();
    fixture.stripe.state.end(subscription);
    await fixture.deliver();
    expect(await subscriptionOf(fixture.url, headers)).toMatchObject({
      status: 'active',
      plan: { id: 'solo' },
    });
  });

  it('starts only once when two Checkout pages are paid; the second subscription is canceled at Stripe', async () => {
    const headers = await signUp();
    const [first, second] = [
      await subscribe(fixture.url, headers, 'solo'),
      await subscribe(fixture.url, headers, 'solo'),
    ];
    const [one, two] = [fixture.stripe.state.pay(first), fixture.stripe.state.pay(second)];
    await fixture.deliver();
    const statuses = [one, two].map((id) => fixture.stripe.state.subscriptions.get(id)?.status);
    expect(statuses.sort()).toEqual(['active', 'canceled']);
    expect((await subscriptionOf(fixture.url, headers)).status).toBe('active');
    await fixture.deliver();
    expect((await subscriptionOf(fixture.url, headers)).status).toBe('active');
  });

  it('is canceled although it has ended at Stripe, and no event has said so', async () => {
    const headers = await signUp();
    const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    await fixture.deliver();
    fixture.stripe.state.end(subscription);
    const late = fixture.stripe.state.takeEvents();
    const { status, body } = await api(fixture.url, 'DELETE', '/account/subscription', headers);
    expect([status, body.status]).toEqual([200, 'canceled']);
    await fixture.deliver(late);
  });

  it('starts, renews and ends also if no event reports it', async () => {
    const headers = await signUp();
    const session = await subscribe(fixture.url, headers, 'solo');
    const { state } = fixture.stripe;
    /** Loses the events, and lets the job of an object run now that would run later. */
    const reads = async (object: string) => {
      state.takeEvents();
      const hurry = `UPDATE due SET due_at = now() WHERE subject = $1 AND due_at > now() + interval '1 minute' RETURNING subject`;
      const isMoved = async () => (await queryDatabase(fixture.server, hurry, [object])).length === 1;
      await until(isMoved, `${object} is to be read later`);
    };
    const hasCredits = (credits: number) =>
      until(async () => (await creditsOf(fixture.url, headers)) === credits, `there are ${credits} credits`);
    const subscription = state.pay(session);
    await reads(`checkout.session ${session}`);
    await hasCredits(300);
    const started = { status: 'active', plan: { id: 'solo' } };
    expect(await subscriptionOf(fixture.url, headers)).toMatchObject(started);
    state.renew(subscription);
    await reads(`subscription ${subscription} again`);
    await hasCredits(600);
    state.end(subscription);
    await reads(`subscription ${subscription} again`);
    const status = async () => (await subscriptionOf(fixture.url, headers)).status;
    await until(async () => (await status()) === 'canceled', 'the plan has ended');
  });

  it('must exist', async () => {
    const reply = await api(fixture.url, 'POST', '/account/subscription', await signUp(), { planId: 'none' });
    expect([reply.status, reply.body.error]).toEqual([404, 'not_found']);
  });
});

/** Lets all payments become old, and waits until those are removed of which nothing was taken back. */
async function removePayments(): Promise<void> {
  await queryDatabase(fixture.server, `UPDATE payments SET created_at = now() - interval '2 days'`);
  await queryDatabase(fixture.server, `UPDATE due SET due_at = now() WHERE kind = 'retention'`);
  await until(
    async () =>
      (await queryDatabase(fixture.server, 'SELECT FROM payments WHERE credits_reversed = 0')).length === 0,
    'the payments are removed',
  );
}

describe('a month whose payment is no longer kept', () => {
  it('is not granted again when the plan is canceled', async () => {
    const headers = await signUp();
    fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    await fixture.deliver();
    for (let time = 0; time < 2; time++) {
      await removePayments();
      expect((await api(fixture.url, 'DELETE', '/account/subscription', headers)).status).toBe(200);
      await fixture.deliver();
      expect(await creditsOf(fixture.url, headers)).toBe(300);
    }
    const granted = await queryDatabase(
      fixture.server,
      `SELECT FROM audit_log WHERE action = 'credits.granted' AND account_id = $1`,
      [(await api(fixture.url, 'GET', '/account', headers)).body.id],
    );
    expect(granted).toHaveLength(1);
  });

  it('is taken back once by a refund, and returned once by a won dispute', async () => {
    const headers = await signUp();
    const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    const [refunded, disputed] = [
      fixture.stripe.state.renew(subscription),
      fixture.stripe.state.renew(subscription),
    ];
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(900);
    await removePayments();
    fixture.stripe.state.refund(refunded, 300);
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(600);
    const dispute = fixture.stripe.state.dispute(disputed);
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(300);
    fixture.stripe.state.closeDispute(dispute, 'won');
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(600);
  });

  it('is not granted again after an upgrade from a release that granted it for its payment', async () => {
    const headers = await signUp();
    fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    await fixture.deliver();
    await queryDatabase(
      fixture.server,
      `UPDATE ledger SET reference_type = 'payment', reference_id = p.id FROM payments p
       WHERE reference_type = 'invoice' AND reference_id = p.invoice_id`,
    );
    const migration = join(migrationsFolder, '0029_grants_of_invoices.sql');
    await queryDatabase(fixture.server, await readFile(migration, 'utf8'));
    await removePayments();
    expect((await api(fixture.url, 'DELETE', '/account/subscription', headers)).status).toBe(200);
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(300);
  });
});

describe('a refund or dispute', () => {
  it('is remembered when payments are removed, for what Stripe reports later', async () => {
    const headers = await signUp();
    const [refunded, disputed] = [
      fixture.stripe.state.pay(await topUp(fixture.url, headers, 400)),
      fixture.stripe.state.pay(await topUp(fixture.url, headers, 100)),
    ];
    fixture.stripe.state.pay(await topUp(fixture.url, headers, 2_000));
    await fixture.deliver();
    fixture.stripe.state.refund(refunded, 300);
    const dispute = fixture.stripe.state.dispute(disputed);
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(2_100);
    await removePayments();
    fixture.stripe.state.refund(refunded, 100);
    fixture.stripe.state.closeDispute(dispute, 'won');
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(2_100);
  });

  it('takes back credits once, in part or in full', async () => {
    const headers = await signUp();
    const charge = fixture.stripe.state.pay(await topUp(fixture.url, headers, 1_000));
    await fixture.deliver();
    fixture.stripe.state.refund(charge, 250);
    const partly = fixture.stripe.state.takeEvents();
    await fixture.deliver(partly);
    await fixture.deliver([...partly].reverse());
    expect(await creditsOf(fixture.url, headers)).toBe(750);
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([
      { status: 'partially_refunded', creditsTakenBack: 250 },
    ]);
    fixture.stripe.state.refund(charge, 750);
    await fixture.deliver(reversedEvents());
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([
      { status: 'refunded', creditsTakenBack: 1_000 },
    ]);
    const { body } = await api(fixture.url, 'GET', '/account/usage', headers);
    expect(body.totals).toMatchObject({ credits: 0 });
  });

  it('is not undone by a late event about a failed attempt to pay', async () => {
    const headers = await signUp();
    const charge = fixture.stripe.state.pay(await topUp(fixture.url, headers, 1_000));
    fixture.stripe.state.refund(charge, 1_000);
    await fixture.deliver();
    fixture.stripe.state.reportFailedAttempt(charge);
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([
      { status: 'refunded', creditsTakenBack: 1_000 },
    ]);
  });

  it('may arrive before its payment, which is then fetched', async () => {
    const headers = await signUp();
    const charge = fixture.stripe.state.pay(await topUp(fixture.url, headers, 1_000));
    fixture.stripe.state.refund(charge, 1_000);
    await fixture.deliver(reversedEvents());
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([
      { status: 'refunded', creditsTakenBack: 1_000 },
    ]);
  });

  it('takes back only the present credits, and no later ones', async () => {
    const headers = await signUp();
    const charge = fixture.stripe.state.pay(await topUp(fixture.url, headers, 1_000));
    await fixture.deliver();
    await queryDatabase(
      fixture.server,
      `WITH a AS (UPDATE accounts SET credits = credits - 900
         WHERE id = (SELECT account_id FROM payments ORDER BY seq DESC LIMIT 1) RETURNING *)
       INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id)
       SELECT 'txn_spent', id, 'debit', 'sms', 900, credits, 'spent', 'reservation', 'x' FROM a`,
    );
    fixture.stripe.state.dispute(charge);
    const events = fixture.stripe.state.takeEvents();
    await fixture.deliver(events);
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    expect(await paymentsOf(fixture.url, headers)).toMatchObject([
      { status: 'disputed', creditsTakenBack: 100 },
    ]);
    fixture.stripe.state.pay(await topUp(fixture.url, headers, 200));
    await fixture.deliver();
    await fixture.deliver(events);
    expect(await creditsOf(fixture.url, headers)).toBe(200);
  });

  it('returns the credits of a won dispute, and not of a lost one', async () => {
    const headers = await signUp();
    const [won, lost] = [
      fixture.stripe.state.pay(await topUp(fixture.url, headers, 300)),
      fixture.stripe.state.pay(await topUp(fixture.url, headers, 500)),
    ];
    await fixture.deliver();
    const disputes = [fixture.stripe.state.dispute(won), fixture.stripe.state.dispute(lost)];
    await fixture.deliver();
    expect(await creditsOf(fixture.url, headers)).toBe(0);
    fixture.stripe.state.closeDispute(disputes[0] ?? '', 'won');
    fixture.stripe.state.closeDispute(disputes[1] ?? '', 'lost');
    const closed = fixture.stripe.state.takeEvents();
    await fixture.deliver(closed);
    await fixture.deliver(closed);
    expect(await creditsOf(fixture.url, headers)).toBe(300);
    expect((await paymentsOf(fixture.url, headers)).map(({ status }) => status)).toEqual([
      'disputed',
      'paid',
    ]);
  });

  it('may concern a month of a plan', async () => {
    const headers = await signUp();
    const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
    const charge = fixture.stripe.state.renew(subscription);
    fixture.stripe.state.refund(charge, 300);
    await fixture.deliver(reversedEvents());
    expect(await creditsOf(fixture.url, headers)).toBe(300);
  });
});

const signedUp = async () => {
  const wallet = newWallet();
  return { wallet, headers: bearer((await signIn(fixture.url, wallet, { audience: 'dashboard' })).token) };
};

/** Erases an account. @returns its id */
async function erase({ wallet, headers }: Awaited<ReturnType<typeof signedUp>>): Promise<string> {
  const id = String((await api(fixture.url, 'GET', '/account', headers)).body.id);
  const signed = await signedMessage(fixture.url, wallet, { statement: deleteStatement(id) });
  const proof = { type: 'wallet', ...signed };
  expect((await api(fixture.url, 'DELETE', '/account', headers, proof)).status).toBe(202);
  const isErased = 'SELECT FROM erasures WHERE account_id = $1 AND erased_at IS NOT NULL';
  await until(
    async () => (await queryDatabase(fixture.server, isErased, [id])).length === 1,
    'the account is erased',
  );
  return id;
}

it('erases an account whose plan has ended at Stripe, before an event has said so', async () => {
  const account = await signedUp();
  const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, account.headers, 'solo'));
  await fixture.deliver();
  fixture.stripe.state.end(subscription);
  await erase(account);
  await fixture.deliver();
});

it('leaves an erased account empty, whatever Stripe says about it later', async () => {
  const account = await signedUp();
  const { headers } = account;
  const subscription = fixture.stripe.state.pay(await subscribe(fixture.url, headers, 'solo'));
  const charges = [
    fixture.stripe.state.renew(subscription),
    fixture.stripe.state.pay(await topUp(fixture.url, headers, 500)),
  ];
  const open = await topUp(fixture.url, headers, 500);
  await fixture.deliver();
  expect(await creditsOf(fixture.url, headers)).toBe(1_100);
  const id = await erase(account);
  const ofAccount = (text: string) => queryDatabase(fixture.server, text, [id]);
  expect(fixture.stripe.state.subscriptions.get(subscription)?.cancel_at_period_end).toBe(true);
  const left = async () => ({
    plans: await ofAccount('SELECT * FROM subscriptions WHERE account_id = $1'),
    payments: await ofAccount('SELECT * FROM payments WHERE account_id = $1 ORDER BY seq'),
    ledger: await ofAccount('SELECT * FROM ledger WHERE account_id = $1 ORDER BY seq'),
    audit: await ofAccount('SELECT * FROM audit_log WHERE account_id = $1'),
  });
  const erased = await left();
  expect(erased).toMatchObject({ plans: [], audit: [] });
  fixture.stripe.state.end(subscription);
  fixture.stripe.state.pay(open);
  for (const charge of charges) fixture.stripe.state.refund(charge, 100);
  await fixture.deliver();
  expect(await left()).toEqual(erased);
});

it('logs no failed job', () => {
  expect(fixture.server.logged('scheduled job failed')).toEqual([]);
});

it('keeps every balance equal to the sum of its movements', async () => {
  expect(await wrongBalances(fixture.server)).toEqual([]);
});
