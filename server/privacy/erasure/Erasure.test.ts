import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, it } from 'vitest';
import type { OpenDatabase } from '../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../platform/jobs/ScheduledJobs.ts';
import { CleanUp, silent } from '../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../test/harness/nodes/openTestDatabase.ts';
import { until } from '../../../test/harness/until.ts';
import { newAccount } from '../../money/account/accountOf.ts';
import { Cleaning } from '../cleaning/Cleaning.ts';
import { Erasure } from './Erasure.ts';

const cleanUp = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(cleanUp);
});
afterAll(() => cleanUp.run());

it('begins although its job runs too early, by the clock of this node', async () => {
  const { db } = database;
  const jobs = new ScheduledJobs(db, silent);
  cleanUp.add(() => jobs.close());
  const hasRoomFor = () => Promise.resolve(true);
  const cleaning = new Cleaning({ pool: database.pool, jobs, hour: 'off', hasRoomFor, log: silent });
  const endSessions = () => Promise.resolve(() => {});
  const erasure = new Erasure({
    ...{ db, jobs, cleaning, endSessions, days: 1, log: silent },
    end: () => Promise.resolve(),
  });
  const accountId = (await newAccount(db, {})) ?? '';
  await erasure.request(db, accountId);
  await db.execute(sql`UPDATE erasures SET due_at = now() + interval '1 second'`);
  await db.execute(sql`UPDATE due SET due_at = now() WHERE subject = ${accountId}`);
  jobs.start();
  const begun = sql`SELECT FROM erasures WHERE started_at IS NOT NULL`;
  await until(async () => (await db.execute(begun)).rows.length === 1, 'the erasure has begun', 10_000);
});
