import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Executor } from '../../../platform/database/Executor.ts';
import { until } from '../../harness/until.ts';
import { api, newCustomer, newKey, queryDatabase, wrongBalances } from './accountSupport.ts';
import { endLeases } from './endLeases.ts';
import { startSpendingServer, type Spend, type SpendingServer } from './spendingServer.ts';
import { bearer, type Reply } from '../support.ts';

/* Requests whose process was frozen or cut off until their leases ended, and nodes with wrong clocks. */

let server: SpendingServer;
let dataDir: string;
let handle: (body: Spend) => Promise<unknown>;
let key: Record<string, string>;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  const settings = {
    PLANS: JSON.stringify([{ id: 'basic', name: 'Basic', monthlyCredits: 100, price: '1.00' }]),
  };
  server = await startSpendingServer({ dataDir, settings, handle: (body) => handle(body) });
  await queryDatabase({ dataDir }, 'CREATE TABLE given (item text)');
});
beforeEach(async () => {
  key = bearer((await newKey(server.url, await newCustomer(server.url))).secret);
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const spend = (idempotencyKey: string | null, item: string): Promise<Reply> => {
  const headers = { ...key, ...(idempotencyKey === null ? {} : { 'Idempotency-Key': idempotencyKey }) };
  return api(server.url, 'POST', '/spend', headers, { units: 1, item });
};
const given = async (item: string) =>
  (await queryDatabase({ dataDir }, 'SELECT item FROM given WHERE item = $1', [item])).length;
const creditsOf = async () => {
  const { body } = await api(server.url, 'GET', '/account/credits', key);
  return [body.credits, body.reserved];
};
/** The last step of a request: commits together with its answer. */
const give = (item: string) => async (tx: Executor) => {
  await tx.execute(sql`INSERT INTO given (item) VALUES (${item})`);
  return item;
};
/** Freezes the first request, so that its lease ends. @returns a function that lets it go on */
function freezeFirst(): { running: () => boolean; thaw: () => void } {
  let thaw = () => {};
  const frozen = new Promise<void>((resolve) => (thaw = resolve));
  let runs = 0;
  handle = async ({ item }) => {
    if (++runs === 1) await frozen;
    return give(item);
  };
  onTestFinished(() => thaw());
  return { running: () => runs > 0, thaw: () => thaw() };
}

describe('a request whose lease has ended', () => {
  it('commits nothing after a repeated request has taken over its key', async () => {
    const { running, thaw } = freezeFirst();
    const first = spend('taken over', 'once');
    await until(running, 'the first request runs');
    await endLeases({ dataDir });
    const second = await spend('taken over', 'once');
    expect(second.status).toBe(201);
    thaw();
    expect([(await first).status, (await first).body.error]).toEqual([503, 'service_unavailable']);
    expect(await given('once')).toBe(1);
    const again = await spend('taken over', 'once');
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([second.text, 'true']);
    expect(await creditsOf()).toEqual([490, 0]);
  });

  it('does no work for credits that were returned', async () => {
    const { running, thaw } = freezeFirst();
    const only = spend(null, 'free');
    await until(running, 'the request runs');
    await endLeases({ dataDir });
    thaw();
    expect((await only).status).toBe(503);
    expect([await given('free'), await creditsOf()]).toEqual([0, [500, 0]]);
    expect(await wrongBalances({ dataDir })).toEqual([]);
  });

  it('keeps its credits if it renews the lease while its outcome is decided', async () => {
    const { ledger } = server.accounts;
    let decide = () => {};
    const decided = new Promise<void>((resolve) => (decide = resolve));
    onTestFinished(() => decide());
    let isAsked = false;
    ledger.onLost('test', async () => {
      isAsked = true;
      await decided;
      return 'release';
    });
    const { running, thaw } = freezeFirst();
    const only = spend(null, 'late');
    await until(running, 'the request runs');
    await queryDatabase({ dataDir }, `UPDATE due SET due_at = now() WHERE kind = 'reservation'`);
    await until(() => isAsked, 'its service is asked');
    const [row] = await queryDatabase({ dataDir }, `SELECT id FROM reservations WHERE status = 'held'`);
    await ledger.keep(server.database.db, String(row?.id));
    decide();
    await until(
      async () =>
        (await queryDatabase({ dataDir }, `SELECT 1 FROM due WHERE due_at <= now() AND kind = 'reservation'`))
          .length === 0,
      'the job has ended',
    );
    expect(await creditsOf()).toEqual([490, 10]);
    thaw();
    expect((await only).status).toBe(201);
    expect([await given('late'), await creditsOf()]).toEqual([1, [490, 0]]);
    ledger.onLost('test', () => Promise.resolve('release'));
  });
});

describe('the answer of an Idempotency-Key', () => {
  it.each([25, -25])('is kept for a day by a node whose clock is off by %i hours', async (hours) => {
    handle = ({ item }) => Promise.resolve(item);
    const skewed = () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      vi.setSystemTime(Date.now() + hours * 3_600_000);
    };
    if (hours < 0) skewed();
    const first = await spend('skewed', 'it');
    vi.useRealTimers();
    if (hours > 0) skewed();
    const again = await spend('skewed', 'it');
    vi.useRealTimers();
    expect([first.status, again.text, again.headers['idempotent-replayed']]).toEqual([
      201,
      first.text,
      'true',
    ]);
    expect(await creditsOf()).toEqual([490, 0]);
  });
});

it('starts the next month of a plan although the clock of a node is behind', async () => {
  const { plans } = server.accounts;
  const { db } = server.database;
  const accountId = String((await api(server.url, 'GET', '/account', key)).body.id);
  await db.transaction((tx) => plans.start(tx, accountId, 'basic'));
  const query = (text: string) => queryDatabase({ dataDir }, text, [accountId]);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() - 60_000);
  await query(`UPDATE subscriptions SET current_period_end = now() WHERE account_id = $1`);
  await query(`UPDATE due SET due_at = now() WHERE subject = $1`);
  const due = () => query(`SELECT FROM due WHERE subject = $1 AND due_at <= now()`);
  await until(async () => (await due()).length === 0, 'the job has run');
  vi.useRealTimers();
  await query(`UPDATE due SET due_at = now() WHERE subject = $1`);
  await until(async () => (await creditsOf())[0] === 700, 'the credits of the second month are granted');
});
