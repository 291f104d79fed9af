import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { readConfig } from '../../../server/config/config.ts';
import { Ledger } from '../../../server/money/account/Ledger.ts';
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
