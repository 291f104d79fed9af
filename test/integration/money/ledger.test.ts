import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOf } from '../../../server/money/account/accountOf.ts';
import { checkBalances } from '../../../server/money/account/checkBalances.ts';
import { Ledger, type Reservation } from '../../../server/money/account/Ledger.ts';
import { openDatabase, type OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { startProgram } from '../../harness/run/startProgram.ts';
import { copyDatabaseTemplate } from '../../harness/nodes/databaseTemplate.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import {
  api,
  connectDatabase,
  newCustomer,
  queryDatabase,
  wrongBalances,
  type Customer,
} from './accountSupport.ts';
import { newWallet } from '../support.ts';

const silent = pino({ level: 'silent' });
let dataDir: string;
let database: OpenDatabase;
let jobs: ScheduledJobs;
let ledger: Ledger;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await copyDatabaseTemplate(dataDir);
  database = await openDatabase({ dataDir, logger: silent });
  jobs = new ScheduledJobs(database.db, silent);
  ledger = new Ledger({ db: database.db, jobs, leaseMs: 60_000 });
});
afterAll(async () => {
  await jobs?.close();
  await database?.close();
  await rm(dataDir, { recursive: true, force: true });
});

let grants = 0;
async function newAccount(credits: number): Promise<string> {
  const { id } = await accountOf(database.db, newWallet().address);
  if (credits > 0) await grant(id, credits);
  return id;
}
const grant = (accountId: string, amount: number, id = String(grants++)) =>
  database.db.transaction((tx) =>
    ledger.grant(tx, {
      accountId,
      amount,
      service: 'test',
      description: 'test',
      reference: { type: 'test', id },
    }),
  );
const reserve = (accountId: string, amount: number, service = 'test') =>
  database.db.transaction((tx) =>
    ledger.reserve(tx, { accountId, amount, service, description: 'test', apiKeyPrefix: null }),
  );
const debit = (accountId: string, amount: number) =>
  database.db.transaction((tx) =>
    ledger.debit(tx, { accountId, amount, service: 'test', description: 'test', apiKeyPrefix: null }),
  );
const capture = (id: string) => database.db.transaction((tx) => ledger.capture(tx, id));
const release = (id: string) => database.db.transaction((tx) => ledger.release(tx, id, 'test'));
const refund = (id: string) => database.db.transaction((tx) => ledger.refund(tx, id, 'test'));

async function stateOf(accountId: string) {
  const [row] = await queryDatabase(
    { dataDir },
    `SELECT credits::int, reserved::int,
       (SELECT sum(CASE type WHEN 'debit' THEN -amount ELSE amount END)::int FROM ledger WHERE account_id = a.id) AS ledger,
       (SELECT coalesce(sum(amount), 0)::int FROM reservations WHERE account_id = a.id AND status = 'held') AS held
     FROM accounts a WHERE id = $1`,
    [accountId],
  );
  return row as { credits: number; reserved: number; ledger: number; held: number };
}

describe('the ledger', () => {
  it('allows only as many simultaneous reservations as the balance covers', async () => {
    const accountId = await newAccount(37);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => reserve(accountId, 1)));
    const rejections = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(rejections).toHaveLength(63);
    for (const { reason } of rejections)
      expect(reason).toMatchObject({
        code: 'INSUFFICIENT_BALANCE',
        extra: { creditsRequired: 1, creditsAvailable: 0 },
      });
    expect(await stateOf(accountId)).toEqual({ credits: 0, reserved: 37, ledger: 0, held: 37 });
  });

  it('takes simultaneous purchases while others change the account and refer to it', async () => {
    const accountId = await newAccount(100);
    const [referring, changing] = [await connectDatabase({ dataDir }), await connectDatabase({ dataDir })];
    try {
      // As the insert of a text does, whose price is then paid.
      await referring.query('BEGIN');
      await referring.query('SELECT FROM accounts WHERE id = $1 FOR KEY SHARE', [accountId]);
      await changing.query('BEGIN');
      await changing.query('UPDATE accounts SET reserved = reserved WHERE id = $1', [accountId]);
      const debits = Promise.allSettled([debit(accountId, 10), debit(accountId, 10), debit(accountId, 10)]);
      await until(async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%accounts%'`;
        return (await queryDatabase({ dataDir }, waiting)).length === 3;
      }, 'the purchases wait for the account');
      await changing.query('COMMIT');
      expect((await debits).map((each) => each.status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    } finally {
      await Promise.all([referring.end(), changing.end()]);
    }
    expect(await stateOf(accountId)).toEqual({ credits: 70, reserved: 0, ledger: 70, held: 0 });
  });

  it('settles a reservation once, by capture or release', async () => {
    const accountId = await newAccount(100);
    for (let round = 0; round < 10; round++) {
      const { id } = await reserve(accountId, 10);
      const outcomes = await Promise.all([capture(id), release(id), release(id), capture(id)]);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      // A captured reservation can be refunded once, and a released one never.
      const wasCaptured = outcomes[0] || outcomes[3];
      const refunds = await Promise.all([refund(id), refund(id)]);
      expect(refunds.filter(Boolean)).toHaveLength(wasCaptured ? 1 : 0);
      expect(await stateOf(accountId)).toEqual({ credits: 100, reserved: 0, ledger: 100, held: 0 });
    }
  });

  it('debits a purchase at once, which can be refunded once', async () => {
    const accountId = await newAccount(100);
    const { id, balance } = await debit(accountId, 30);
    expect(balance).toBe(70);
    expect(await stateOf(accountId)).toEqual({ credits: 70, reserved: 0, ledger: 70, held: 0 });
    expect([await capture(id), await release(id)]).toEqual([false, false]);
    expect(await Promise.all([refund(id), refund(id)])).toContain(true);
    expect(await stateOf(accountId)).toEqual({ credits: 100, reserved: 0, ledger: 100, held: 0 });
    await expect(debit(accountId, 101)).rejects.toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      extra: { creditsRequired: 101, creditsAvailable: 100 },
    });
  });

  it('grants once per reference, even in simultaneous requests', async () => {
    const accountId = await newAccount(0);
    const balances = await Promise.all(
      Array.from({ length: 20 }, () => grant(accountId, 5, 'same reference')),
    );
    expect(balances.filter((balance) => balance === 5)).toHaveLength(1);
    expect(balances.filter((balance) => balance === null)).toHaveLength(19);
    expect(await stateOf(accountId)).toMatchObject({ credits: 5, ledger: 5 });
  });

  type Step =
    | { kind: 'grant' | 'reserve' | 'debit'; amount: number }
    | { kind: 'capture' | 'release' | 'refund'; at: number };
  const amount = fc.integer({ min: 1, max: 40 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('grant' as const), amount }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('reserve' as const), amount }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('debit' as const), amount }) },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constantFrom('capture', 'release', 'refund'), at: fc.nat(20) }),
    },
  );

  it('equals the balance after any concurrent steps', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
        async (waves) => {
          const accountId = await newAccount(50);
          const reservations: Reservation[] = [];
          for (const wave of waves) {
            await Promise.all(wave.map((each) => execute(each, accountId, reservations)));
            const { credits, reserved, ledger: sum, held } = await stateOf(accountId);
            expect([credits, reserved]).toEqual([sum, held]);
            expect(credits).toBeGreaterThanOrEqual(0);
          }
          // Each row has the balance after it.
          const rows = await queryDatabase(
            { dataDir },
            `SELECT type, amount::int, balance_after::int FROM ledger WHERE account_id = $1 ORDER BY seq`,
            [accountId],
          );
          let balance = 0;
          for (const row of rows) {
            balance += row.type === 'debit' ? -Number(row.amount) : Number(row.amount);
            expect(row.balance_after).toBe(balance);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  async function execute(each: Step, accountId: string, reservations: Reservation[]): Promise<void> {
    if (each.kind === 'grant') await grant(accountId, each.amount);
    else if (each.kind === 'reserve' || each.kind === 'debit') {
      const buy = each.kind === 'reserve' ? reserve : debit;
      const reservation = await buy(accountId, each.amount).catch((error: { code?: string }) => {
        if (error.code !== 'INSUFFICIENT_BALANCE') throw error;
      });
      if (reservation) reservations.push(reservation);
    } else if ('at' in each) {
      const reservation = reservations[each.at];
      if (reservation) await { capture, release, refund }[each.kind](reservation.id);
    }
  }

  it('is checked without a transaction number, which would hold up the feed of events', async () => {
    const numbers: unknown[] = [];
    const transaction: typeof database.db.transaction = (work, config) =>
      database.db.transaction(async (tx) => {
        const result = await work(tx);
        const { rows } = await tx.execute<{ id: string | null }>(
          sql`SELECT pg_current_xact_id_if_assigned() AS id`,
        );
        numbers.push(rows[0]?.id);
        return result;
      }, config);
    await newAccount(10);
    expect(await checkBalances({ transaction }, silent)).toBe(0);
    expect(numbers).toEqual([null]);
  });

  it('counts every wrong balance', async () => {
    const accountId = await newAccount(10);
    expect(await checkBalances(database.db, silent)).toBe(0);
    await queryDatabase({ dataDir }, 'UPDATE accounts SET credits = 11 WHERE id = $1', [accountId]);
    expect(await checkBalances(database.db, silent)).toBe(1);
    await queryDatabase({ dataDir }, 'UPDATE accounts SET credits = 10, reserved = 1 WHERE id = $1', [
      accountId,
    ]);
    expect(await checkBalances(database.db, silent)).toBe(1);
    await queryDatabase({ dataDir }, 'UPDATE accounts SET reserved = 0 WHERE id = $1', [accountId]);
  });
});

describe('an abandoned reservation', () => {
  const dueNow = (id: string) =>
    queryDatabase({ dataDir }, `UPDATE due SET due_at = now() WHERE kind = 'reservation' AND subject = $1`, [
      id,
    ]);

  it('is settled by the outcome of its purchase', async () => {
    const asked: string[] = [];
    ledger.onLost('known', (reservation) => {
      asked.push(reservation.id);
      return Promise.resolve('capture');
    });
    const accountId = await newAccount(30);
    const bought = await reserve(accountId, 10, 'known');
    const unknown = await reserve(accountId, 20, 'unknown');
    expect(await stateOf(accountId)).toMatchObject({ credits: 0, reserved: 30 });
    jobs.start();
    await dueNow(bought.id);
    await dueNow(unknown.id);
    await until(async () => (await stateOf(accountId)).reserved === 0, 'both are settled');
    expect(asked).toEqual([bought.id]);
    // A reservation of a service without a handler is released.
    expect(await stateOf(accountId)).toEqual({ credits: 20, reserved: 0, ledger: 20, held: 0 });
    expect(
      await queryDatabase({ dataDir }, `SELECT * FROM due WHERE kind = 'reservation' AND due_at <= now()`),
    ).toEqual([]);
  });

  it.each([
    ['captured', (id: string) => capture(id)],
    ['released', (id: string) => release(id)],
  ])('may be %s by its request at the moment when its lease ends', async (_, end) => {
    let go = () => {};
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    const asked = new Promise<void>((resolve) =>
      ledger.onLost('late', async () => {
        resolve();
        await mayGo;
        return 'release';
      }),
    );
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const waits = (count: number) =>
      until(async () => (await queryDatabase({ dataDir }, waiting)).length === count, 'they wait for locks');
    const accountId = await newAccount(30);
    const { id } = await reserve(accountId, 10, 'late');
    jobs.start();
    await dueNow(id);
    await asked;
    let ended: Promise<boolean> | undefined;
    // Holds the account, so that the request and the settlement are both in the middle of their transactions.
    await database.db.transaction(async (tx) => {
      await tx.execute(sql`SELECT FROM accounts WHERE id = ${accountId} FOR UPDATE`);
      ended = end(id);
      await waits(1);
      go();
      await waits(2);
      // PostgreSQL looks for a deadlock a second after a wait began. The settlement has passed that, so the request would be ended.
      await tx.execute(sql`SELECT pg_sleep(1.5)`);
    });
    expect(await ended).toBe(true);
  });
});

describe('a process killed during a purchase', () => {
  let folder: string;
  let server: ServerProcess | null = null;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  });
  afterAll(async () => {
    await server?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('leaves no reservation: the next server refunds the credits, and the idempotency key is free again', async () => {
    const child = await startProgram(new URL('spendingProgram.ts', import.meta.url), [folder]);
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const line = async () => String((await lines.next()).value);
    let customer: Customer;
    try {
      const url = await line();
      customer = await newCustomer(url);
      const headers = { ...customer.dashboard, 'Idempotency-Key': 'the one' };
      const lost = api(url, 'POST', '/spend', headers, { units: 7, item: 'it' }).catch(() => 'lost');
      expect(await line()).toBe('running it');
      const { body } = await api(url, 'GET', '/account/credits', customer.dashboard);
      expect(body).toMatchObject({ credits: 430, reserved: 70 });
      child.kill('SIGKILL');
      expect(await lost).toBe('lost');
    } finally {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }

    // Sessions of the killed server are valid at the next one, which has the same DATA_DIR and secret.
    server = await ServerProcess.start({ DATA_DIR: folder });
    const { url } = server;
    const credits = async () => (await api(url, 'GET', '/account/credits', customer.dashboard)).body;
    await until(async () => (await credits()).reserved === 0, 'the reservation is settled');
    expect(await credits()).toMatchObject({ credits: 500, reserved: 0 });
    const { body } = await api(url, 'GET', '/account/history', customer.dashboard);
    expect(body.data).toMatchObject([
      { type: 'refund', amount: 70, balanceAfter: 500, reference: { type: 'reservation' } },
      { type: 'debit', amount: 70, balanceAfter: 430 },
      { type: 'credit', amount: 500, balanceAfter: 500 },
    ]);
    expect(await wrongBalances({ dataDir: folder })).toEqual([]);
    expect(server.log).not.toContain('balance differs from the sum');
    await server.stop();

    // With the same idempotency key the purchase runs again, and is charged only once.
    const { startSpendingServer } = await import('./spendingServer.ts');
    const next = await startSpendingServer({ dataDir: folder, handle: () => Promise.resolve('now') });
    try {
      const headers = { ...customer.dashboard, 'Idempotency-Key': 'the one' };
      const reply = await api(next.url, 'POST', '/spend', headers, { units: 7, item: 'it' });
      expect([reply.status, reply.body]).toEqual([201, { done: 'now', credits: 70, balance: 430 }]);
      expect(reply.headers['idempotent-replayed']).toBeUndefined();
    } finally {
      await next.close();
    }
  });
});
