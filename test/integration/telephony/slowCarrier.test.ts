import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'drizzle-orm';
import { pino } from 'pino';
import { readConfig } from '../../../server/config/config.ts';
import { Ledger } from '../../../server/money/account/Ledger.ts';
import { createTelephony } from '../../../server/compose/createTelephony.ts';
import { type Telephony } from '../../../server/telephony/Telephony.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { until } from '../../harness/until.ts';
import { ScriptedCarrier } from './ScriptedCarrier.ts';
import { openTestDatabase } from './smppSupport.ts';

/** More than the due rows run at once, and the queue by itself. */
const texts = 300;

describe('a carrier that does not answer', () => {
  let database: Awaited<ReturnType<typeof openTestDatabase>>;
  let jobs: ScheduledJobs;
  let phone: Telephony;
  let given = 0;
  const dues: number[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    const { db } = database;
    const log = pino({ level: 'silent' });
    jobs = new ScheduledJobs(db, log);
    jobs.on('another deadline', () => Promise.resolve(void dues.push(Date.now())));
    phone = await createTelephony({
      config: readConfig({ NODE_ENV: 'test', SMS_SUBMIT_SECONDS: '20' }),
      db,
      jobs,
      log,
      ledger: new Ledger({ db, jobs, leaseMs: 60_000 }),
      carrier: new ScriptedCarrier('/dev/null', undefined, () => given++),
    });
    await phone.start();
    jobs.start();
  });
  afterAll(async () => {
    await jobs?.close();
    await database?.close();
  });

  it('holds up its own texts, and no other deadlines', async () => {
    for (let index = 0; index < texts; index++) {
      const paid = { payer: null, paymentId: `pay_${index}` };
      await phone.texts.send(paid, 'pool', { to: '+12025550123', message: 'hang' }, null);
    }
    // Every one of them is with the carrier, or waits for its turn.
    const overdue = sql`SELECT 1 FROM due WHERE due_at <= now() AND lease_until IS NULL`;
    await until(
      async () => (await database.db.execute(overdue)).rowCount === 0,
      'the due rows to be taken up',
    );
    expect(given).toBeGreaterThan(10);
    const setAt = Date.now();
    await jobs.set(database.db, 'another deadline', 'now', new Date());
    await until(() => dues.length > 0, 'the other deadline');
    expect((dues[0] ?? Infinity) - setAt).toBeLessThan(15_000);
  });
});
