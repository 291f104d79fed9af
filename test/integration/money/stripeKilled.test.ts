import { afterAll, beforeAll, expect, it } from 'vitest';
import type pg from 'pg';
import { ServerProcess } from '../../harness/ServerProcess.ts';
import { StripeServer } from '../../harness/StripeServer.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase, newCustomer, queryDatabase, wrongBalances } from './accountSupport.ts';
import { creditsOf, paymentsOf, settled, stripeSettings, topUp } from './stripeSupport.ts';

/* kill -9 on the way from Stripe's word to the credits. */

let stripe: StripeServer;
let server: ServerProcess;
let url: string;

beforeAll(async () => {
  stripe = await StripeServer.start();
  server = await ServerProcess.start(stripeSettings(stripe));
  url = server.url;
});
afterAll(async () => {
  stripe.hold = null;
  await server?.dispose();
  await stripe?.close();
});

async function paidTopUp(credits: number) {
  const { dashboard } = await newCustomer(url);
  const checkout = await topUp(url, dashboard, credits);
  stripe.state.pay(checkout);
  const [event] = stripe.state.takeEvents();
  if (!event) throw new Error('no event');
  return { dashboard, checkout, event };
}

/** Until nothing moves any more, whatever of it is said again. */
async function credited(dashboard: Record<string, string>): Promise<number> {
  await until(async () => (await creditsOf(url, dashboard)) > 0, 'the credits');
  await settled(server);
  expect(await paymentsOf(url, dashboard)).toMatchObject([{ status: 'paid' }]);
  expect(await wrongBalances(server)).toEqual([]);
  return creditsOf(url, dashboard);
}

/** Somebody has the table: what is inserted waits. */
async function lock(table: 'due' | 'audit_log'): Promise<pg.Client> {
  const blocker = await connectDatabase(server);
  await blocker.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  return blocker;
}

const untilItWaits = (table: 'due' | 'audit_log', what: string) =>
  until(async () => {
    const waiting = await queryDatabase(
      server,
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'insert into "${table}"%'`,
    );
    return waiting.length > 0;
  }, what);

it('before it was noted: Stripe gets no answer, repeats, and the credits come once', async () => {
  const { dashboard, event } = await paidTopUp(500);
  // Holds the note back: somebody has the table.
  const blocker = await lock('due');
  const answered = stripe.send(event, url);
  await untilItWaits('due', 'the webhook is at work');
  await server.kill();
  await blocker.end();
  expect(await answered).toBe(0);
  await server.start();
  expect(await creditsOf(url, dashboard)).toBe(0);
  await stripe.deliver(url, [event, event]);
  expect(await credited(dashboard)).toBe(500);
});

it('after it was noted, while Stripe is asked: they come once, whether or not Stripe repeats', async () => {
  const { dashboard, checkout, event } = await paidTopUp(700);
  let asked = false;
  let release = () => {};
  const free = new Promise<void>((resolve) => (release = resolve));
  stripe.hold = {
    matches: (request) => (asked = asked || request === `GET /v1/checkout/sessions/${checkout}`),
    until: free,
  };
  expect(await stripe.send(event, url)).toBe(200);
  await until(() => asked, 'Stripe is asked');
  await server.kill();
  stripe.hold = null;
  release();
  // As if its lease had run out already, which it would by itself.
  await server.start();
  await queryDatabase(server, `UPDATE due SET lease_until = now() WHERE kind = 'stripe object'`);
  expect(await credited(dashboard)).toBe(700);
  await stripe.deliver(url, [event, event]);
  expect(await credited(dashboard)).toBe(700);
});

it('between the credits and the end of it: what was granted is not granted again', async () => {
  const { dashboard, event } = await paidTopUp(900);
  // The transaction that grants them waits to commit what it did, with everything but the audit log written.
  const blocker = await lock('audit_log');
  expect(await stripe.send(event, url)).toBe(200);
  await untilItWaits('audit_log', 'the credits are being granted');
  await server.kill();
  await blocker.end();
  await server.start();
  expect(await creditsOf(url, dashboard)).toBe(0);
  await stripe.deliver(url, [event, event]);
  expect(await credited(dashboard)).toBe(900);
});
