import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountOf } from '../../../server/money/account/accountOf.ts';
import { readUsage } from '../../../server/money/account/readUsage.ts';
import { UsageSums } from '../../../server/money/account/UsageSums.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { newId } from '../../../sdk/protocol/ids.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { deferred } from '../../load/deferred.ts';
import { newWallet } from '../support.ts';

const silent = pino({ level: 'silent' });
let dataDir: string;
let database: OpenDatabase;
let usage: UsageSums;
let accountId: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  database = await openDatabase({ dataDir, logger: silent });
  usage = new UsageSums({ db: database.db, jobs: new ScheduledJobs(database.db, silent) });
  await usage.start();
});
afterAll(async () => {
  await database?.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  ({ id: accountId } = await accountOf(database.db, newWallet().address));
});

interface Used {
  at: Date;
  service: string;
  /** Null for requests of a session. */
  key: string | null;
  /** Null for a request; else what was debited, or refunded if negative. */
  credits: number | null;
  units?: number | null;
}

/** Stores a request, or a movement of credits. */
async function add(
  { at, service, key, credits, units = null }: Used,
  db: Pick<OpenDatabase['db'], 'execute'> = database.db,
) {
  if (credits === null)
    await db.execute(sql`
      INSERT INTO audit_log (id, account_id, at, actor_type, actor_prefix, action, service, units)
      VALUES (${newId('aud')}, ${accountId}, ${at.toISOString()}, ${key ? 'api_key' : 'session'}, ${key}, 'request', ${service}, ${units})`);
  else
    await db.execute(sql`
      INSERT INTO ledger (id, account_id, type, service, amount, balance_after, description, reference_type, reference_id, api_key_prefix, created_at)
      VALUES (${newId('txn')}, ${accountId}, ${credits > 0 ? 'debit' : 'refund'}, ${service}, ${Math.abs(credits)}, 0, '', 'reservation', 'x',
        ${key}, ${at.toISOString()})`);
}

/** Runs the job as if four minutes had passed since its last run. */
async function sumLater() {
  await database.db.execute(sql`UPDATE usage_progress SET noticed_at = noticed_at - interval '5 minutes'`);
  await usage.sum();
}
/** Sums up all rows that there are. */
async function sumAll() {
  await sumLater();
  await sumLater();
}
const hours = async () =>
  (await database.db.execute(sql`SELECT FROM usage_hours WHERE account_id = ${accountId}`)).rows.length;
/** The sums of hours by day that differ from those of days. */
const wrongDays = async () =>
  (
    await database.db.execute(sql`
      SELECT account_id, date_trunc('day', hour, 'UTC') AS day, service, key, sum(requests), sum(units), sum(credits) FROM usage_hours
      WHERE account_id = ${accountId} GROUP BY 1, 2, 3, 4
      EXCEPT SELECT account_id, day, service, key, requests, units, credits FROM usage_days`)
  ).rows;
const totals = async (query = {}) => (await readUsage(database.db, accountId, query)).totals;

describe('the usage of an account', () => {
  const start = Date.UTC(2026, 1, 27, 21, 30);
  const minuteMs = 60_000;
  const minutes = 6_000;
  const moment = fc
    .oneof(
      fc.nat(minutes).map((minute) => minute * minuteMs),
      fc.nat(minutes * minuteMs),
    )
    .map((offset) => new Date(start + offset));
  const one: fc.Arbitrary<Used> = fc.record({
    at: moment,
    service: fc.constantFrom('sms', 'lookup', 'messages'),
    key: fc.constantFrom('pk_one', 'pk_two', null),
    credits: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 9 }), fc.integer({ min: -9, max: -1 })),
    units: fc.constantFrom(null, 1, 3),
  });
  const period = fc.tuple(moment, moment).map((ends) => ends.toSorted((a, b) => a.getTime() - b.getTime()));

  it('is the sum of its requests and movements, in any period, however much of it is summed up', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(one, { minLength: 5, maxLength: 40 }),
        fc.nat(40),
        fc.array(period, { minLength: 10, maxLength: 10 }),
        fc.constantFrom('day' as const, 'service' as const, 'key' as const),
        async (all, summed, periods, groupBy) => {
          ({ id: accountId } = await accountOf(database.db, newWallet().address));
          for (const each of all.slice(0, summed)) await add(each);
          await sumAll();
          expect(await wrongDays()).toEqual([]);
          for (const each of all.slice(summed)) await add(each);
          for (const [from, to] of periods as [Date, Date][]) {
            const query = { from: from.toISOString(), to: to.toISOString(), groupBy };
            const { data } = await readUsage(database.db, accountId, query);
            expect(data).toEqual(expected(all, from, to, groupBy));
          }
        },
      ),
      { numRuns: 25 },
    ));

  /** The same by a loop over all rows. */
  function expected(all: Used[], from: Date, to: Date, groupBy: 'day' | 'service' | 'key') {
    const sums = new Map<
      string,
      { bucket: string; service: string; requests: number; units: number; credits: number }
    >();
    for (const { at, service, key, credits, units } of all) {
      if (at < from || at >= to) continue;
      const bucket = { day: at.toISOString().slice(0, 10), service, key: key ?? 'session' }[groupBy];
      const sum = sums.get(`${bucket} ${service}`) ?? { bucket, service, requests: 0, units: 0, credits: 0 };
      sums.set(`${bucket} ${service}`, sum);
      sum.requests += credits === null ? 1 : 0;
      sum.units += credits === null ? (units ?? 0) : 0;
      sum.credits += credits ?? 0;
    }
    return [...sums.keys()].sort().map((name) => sums.get(name));
  }

  it('includes the present hour, before and after it is summed up', async () => {
    const now = { at: new Date(), service: 'sms', key: 'pk_one' };
    await add({ ...now, credits: null, units: 2 });
    await add({ ...now, credits: 4 });
    const used = { requests: 1, units: 2, credits: 4 };
    expect(await totals()).toEqual(used);
    await sumAll();
    expect(await hours()).toBe(1);
    expect(await totals()).toEqual(used);
    expect(await totals({ from: new Date(Date.now() - 60_000).toISOString() })).toEqual(used);
    expect(await totals({ from: now.at.toISOString().slice(0, 10) })).toEqual(used);
    await add({ ...now, at: new Date(), credits: -4 });
    expect(await totals()).toEqual({ ...used, credits: 0 });
  });

  it('may be more than a 32-bit number holds', async () => {
    const used = { requests: 3e9, units: 4e9, credits: 5e9 };
    await database.db.execute(sql`
      INSERT INTO usage_days (account_id, day, service, key, requests, units, credits)
      VALUES (${accountId}, '2026-03-01T00:00:00Z', 'sms', 'session', ${used.requests}, ${used.units}, ${used.credits})`);
    expect(await totals({ from: '2026-02-01', to: '2026-03-02' })).toEqual(used);
  });

  it('stays when the rows it was summed up from are removed', async () => {
    const at = new Date(start);
    for (let n = 0; n < 3; n++) await add({ at, service: 'sms', key: null, credits: null });
    await sumAll();
    await database.db.execute(sql`DELETE FROM audit_log WHERE account_id = ${accountId}`);
    expect(await totals({ from: '2026-02-27', to: '2026-02-27' })).toEqual({
      requests: 3,
      units: 0,
      credits: 0,
    });
  });

  it('includes rows that were stored before others, and committed after them', async () => {
    const row = { at: new Date(), service: 'sms', key: null, credits: null };
    const later = deferred<void>();
    const isStored = deferred<void>();
    const slow = database.db.transaction(async (tx) => {
      await add(row, tx);
      isStored.resolve();
      await later.promise;
    });
    await isStored.promise;
    await add(row);
    await sumLater();
    // Too early: transactions from before the last run may still go on.
    await usage.sum();
    expect(await hours()).toBe(0);
    later.resolve();
    await slow;
    await sumLater();
    expect(await hours()).toBe(1);
    expect(await totals()).toMatchObject({ requests: 2 });
    await sumAll();
    expect(await totals()).toMatchObject({ requests: 2 });
  });

  it('counts each row once if two nodes sum up at the same time', async () => {
    const row = { at: new Date(), service: 'sms', key: null, credits: 1 };
    for (let n = 0; n < 20; n++) await add(row);
    await sumLater();
    await database.db.execute(sql`UPDATE usage_progress SET noticed_at = noticed_at - interval '5 minutes'`);
    await Promise.all([usage.sum(), usage.sum(), usage.sum()]);
    await sumAll();
    expect(await totals()).toEqual({ requests: 0, units: 0, credits: 20 });
  });
});
