import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { readConfig } from '../../../server/config/config.ts';
import { Ledger } from '../../../server/money/account/Ledger.ts';
import type { Accepted, Submission } from '../../../server/telephony/sms/Carrier.ts';
import { createTelephony } from '../../../server/compose/createTelephony.ts';
import { type Telephony } from '../../../server/telephony/Telephony.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { until } from '../../harness/until.ts';
import { inUnit } from './telephonySupport.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { openTestDatabase } from './smppSupport.ts';

/** More texts than the scheduled jobs and the text queue can handle at the same time. */
const texts = 300;

describe('a carrier that does not answer', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>;
  let jobs: ScheduledJobs;
  let telephony: Telephony;
  let given = 0;
  /** The number of texts given to the carrier when the other job ran. */
  let givenAtRun: number | null = null;

  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const log = pino({ level: 'silent' });
    jobs = new ScheduledJobs(db, log);
    jobs.on('another job', () => Promise.resolve(void (givenAtRun = given)));
    telephony = await createTelephony({
      config: readConfig({ NODE_ENV: 'test', SMS_SUBMIT_SECONDS: '30' }),
      db,
      jobs,
      log,
      ledger: new Ledger({ db, jobs, leaseMs: 60_000 }),
      carrier: new ScriptedCarrier('/dev/null', undefined, () => given++),
    });
    await telephony.start();
    jobs.start();
  });
  afterAll(async () => {
    await jobs?.close();
    await database?.close();
  });

  it('delays its texts, but no other scheduled jobs', async () => {
    for (let index = 0; index < texts; index++) {
      const paid = { payer: null, paymentId: `pay_${index}` };
      const text = { to: '+12025550123', message: 'hang' };
      await inUnit(database.db, (unit) => telephony.texts.queue(unit, paid, 'pool', text));
    }
    // Every text is at the carrier or waits in the queue.
    const overdue = sql`SELECT 1 FROM due WHERE due_at <= now() AND lease_until IS NULL`;
    await until(async () => (await database.db.execute(overdue)).rowCount === 0, 'all due jobs are claimed');
    expect(given).toBeGreaterThan(10);
    const givenBefore = given;
    await jobs.set(database.db, 'another job', 'now', new Date());
    await until(() => givenAtRun !== null, 'the other job');
    // It ran before the carrier's time for any text was over, which makes room for the next text.
    expect(givenAtRun).toBe(givenBefore);
    expect(given).toBeLessThan(texts);
  });
});

/** Accepts a text only when told to. */
class WaitingCarrier extends ScriptedCarrier {
  readonly given: string[] = [];
  readonly #waiting: (() => void)[] = [];

  override send({ id, text }: Submission): Promise<Accepted> {
    this.given.push(text);
    return new Promise((resolve) => this.#waiting.push(() => resolve({ references: [id] })));
  }

  /** Accepts the text that has waited longest. */
  accept(): void {
    this.#waiting.shift()?.();
  }
}

describe('a carrier that is slower than texts arrive', () => {
  it.each([
    ['this process', true],
    ['another process', false],
  ])('gets a code before other texts that wait, if it comes from %s', async (_, isHere) => {
    const database = await openTestDatabase();
    const { db } = database;
    const log = pino({ level: 'silent' });
    const jobs = new ScheduledJobs(db, log);
    const carrier = new WaitingCarrier('/dev/null');
    const telephony = await createTelephony({
      config: readConfig({ NODE_ENV: 'test', SMS_SUBMIT_SECONDS: '300' }),
      db,
      jobs,
      log,
      ledger: new Ledger({ db, jobs, leaseMs: 60_000 }),
      carrier,
    });
    await telephony.start();
    jobs.start();
    const add = (index: number, message: string, isSecret = false) => {
      const paid = { payer: null, paymentId: `pay_${index}` };
      const text = { to: '+12025550123', message };
      return inUnit(db, (unit) =>
        telephony.texts.queue(
          isSecret && !isHere ? { ...unit, afterCommit: () => undefined } : unit,
          paid,
          isSecret ? 'codes' : 'pool',
          text,
          isSecret,
        ),
      );
    };
    for (let index = 0; index < texts; index++) await add(index, 'text');
    const { id } = await add(texts, 'code', true);
    const isWaiting = sql`SELECT FROM due WHERE subject = ${id} AND due_at > now() + interval '10 seconds'`;
    await until(async () => (await db.execute(isWaiting)).rowCount === 1, 'the code waits');
    expect(carrier.given).not.toContain('code');
    // Makes room for one text.
    carrier.accept();
    await until(() => carrier.given.includes('code'), 'the code is next');
    await jobs.close();
    await database.close();
  });
});
