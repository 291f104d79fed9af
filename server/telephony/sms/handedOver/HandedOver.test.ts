import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../../../platform/database/database.ts';
import { ScheduledJobs } from '../../../../platform/jobs/ScheduledJobs.ts';
import { CleanUp, silent } from '../../../../test/harness/nodes/embeddedPostgres/support.ts';
import { openTestDatabase } from '../../../../test/harness/nodes/openTestDatabase.ts';
import { until } from '../../../../test/harness/until.ts';
import { HandedOver } from './HandedOver.ts';

const suite = new CleanUp();
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(suite);
});
afterAll(() => suite.run());

it('removes old parts, also those of a former carrier', async () => {
  const { db, pool } = database;
  await pool.query(`
    INSERT INTO handed_parts (carrier, submission_id, part, total, recipient, mark, at)
    SELECT carrier, 'msg_' || days, 0, 1, '+12025550123', 0, now() - make_interval(days => days)
    FROM unnest(ARRAY['smpp', 'twilio']) AS carrier, unnest(ARRAY[1, 9]) AS days`);
  const jobs = new ScheduledJobs(db, silent);
  const handed = new HandedOver({ db, jobs, carrier: 'smpp' });
  await handed.start();
  jobs.start();
  try {
    const left = async () =>
      (await pool.query<{ id: string }>('SELECT submission_id AS id FROM handed_parts')).rows;
    await until(async () => (await left()).length === 2, 'the old parts are removed');
    expect(await left()).toEqual([{ id: 'msg_1' }, { id: 'msg_1' }]);
  } finally {
    await jobs.close();
  }
});
