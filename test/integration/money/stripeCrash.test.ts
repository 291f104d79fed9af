import { afterAll, beforeAll, expect, it } from 'vitest';
import type pg from 'pg';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { StripeServer } from '../../harness/services/StripeServer.ts';
import { until } from '../../harness/until.ts';
import { connectDatabase, newCustomer, queryDatabase, wrongBalances } from './accountSupport.ts';
import { creditsOf, paymentsOf, settled, stripeSettings, topUp } from './stripeSupport.ts';

/* The server is killed after an event of Stripe arrives, before its credits are granted. */

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

/** Waits until the payment is settled. @returns the credits of the account */
async function credited(dashboard: Record<string, string>): Promise<number> {
  await until(async () => (await creditsOf(url, dashboard)) > 0, 'the credits arrive');
  await settled(server);
  expect(await paymentsOf(url, dashboard)).toMatchObject([{ status: 'paid' }]);
  expect(await wrongBalances(server)).toEqual([]);
  return creditsOf(url, dashboard);
}

/** Locks the table, so that inserts into it wait. */
async function lock(table: 'due' | 'audit_log'): Promise<pg.Client> {
  const blocker = await connectDatabase(server);
  await blocker.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
  return blocker;
}

/** Waits until an insert into the locked table waits for the lock, then kills the server before that insert is done. */
async function killAtInsert(blocker: pg.Client, table: 'due' | 'audit_log', what: string): Promise<void> {
  const inserting = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~* '^\\s*insert into "?${table}"? '`;
  const isInserting = async () => (await queryDatabase(server, `SELECT ${inserting}`)).length > 0;
  await until(isInserting, what);
  // PostgreSQL does not notice that a waiting client is dead, and may still commit the insert when the lock is free. So the insert is ended
  // while the server is suspended, which notices nothing of that.
  server.pause();
  await queryDatabase(server, `SELECT pg_terminate_backend(pid) ${inserting}`);
  await until(async () => !(await isInserting()), 'the insert has ended');
  await server.kill();
  await blocker.end();
}

it('grants credits once when killed before the event is stored, because Stripe repeats it', async () => {
  const { dashboard, event } = await paidTopUp(500);
  // Delays the insert of the event.
  const blocker = await lock('due');
  const answered = stripe.send(event, url);
  await killAtInsert(blocker, 'due', 'the webhook stores the event');
  expect(await answered).toBe(0);
  await server.start();
  expect(await creditsOf(url, dashboard)).toBe(0);
  await stripe.deliver(url, [event, event]);
  expect(await credited(dashboard)).toBe(500);
});

it('grants credits once when killed during the request to Stripe, whether or not Stripe repeats the event', async () => {
  const { dashboard, checkout, event } = await paidTopUp(700);
  let isRequested = false;
  let release = () => {};
  const free = new Promise<void>((resolve) => (release = resolve));
  stripe.hold = {
    matches: (request) => (isRequested = isRequested || request === `GET /v1/checkout/sessions/${checkout}`),
    until: free,
  };
  expect(await stripe.send(event, url)).toBe(200);
  await until(() => isRequested, 'the request to Stripe');
  await server.kill();
  stripe.hold = null;
  release();
  // After the restart, end the dead server's lease instead of waiting until it expires.
  await server.start();
  await queryDatabase(server, `UPDATE due SET lease_until = now() WHERE kind = 'stripe object'`);
  expect(await credited(dashboard)).toBe(700);
  await stripe.deliver(url, [event, event]);
  expect(await credited(dashboard)).toBe(700);
});

it('grants credits once when killed before the commit', async () => {
  const { dashboard, event } = await paidTopUp(900);
  // The transaction that grants the credits has written everything except the audit log.
  const blocker = await lock('audit_log');
  expect(await stripe.send(event, url)).toBe(200);
  await killAtInsert(blocker, 'audit_log', 'the credits are being granted');
  await server.start();
  expect(await creditsOf(url, dashboard)).toBe(0);
  await stripe.deliver(url, [event, event]);
  expect(await credited(dashboard)).toBe(900);
});
