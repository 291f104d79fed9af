import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { OpenDatabase } from '../../platform/database/database.ts';
import { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { openTestDatabase } from '../../test/harness/nodes/openTestDatabase.ts';
import { CleanUp, silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { jobKinds as roomKinds, type ConferenceDeps } from '../conference/ConferenceDeps.ts';
import { GatedRooms } from '../gatedRooms/GatedRooms.ts';
import { jobKinds as streamKinds, type StreamDeps } from '../streaming/StreamDeps.ts';
import { StreamViewers } from '../streaming/StreamViewers.ts';
import { recheckJobs } from './recheck.ts';

const [suite, cleanUp] = [new CleanUp(), new CleanUp()];
let database: OpenDatabase;

beforeAll(async () => {
  database = await openTestDatabase(suite);
});
afterAll(() => suite.run());
afterEach(() => cleanUp.run());

it('rechecks that wait for a chain hold up no other jobs', async () => {
  const jobs = new ScheduledJobs(database.db, silent);
  cleanUp.add(() => jobs.close());
  let waiting = 0;
  let answer = (_error: Error) => {};
  const answered = new Promise<never>((_resolve, reject) => (answer = reject));
  cleanUp.add(() => answer(new Error('no answer')));
  const wait = () => (waiting++, answered);
  new GatedRooms({ jobs, store: { room: wait } } as unknown as ConferenceDeps, {} as never, {} as never);
  new StreamViewers({ jobs, store: { stream: wait } } as unknown as StreamDeps, {} as never, {} as never);
  let isDone = false;
  jobs.on('deadline', () => Promise.resolve((isDone = true)));
  const subjects = Array.from({ length: 400 }, (_, index) => `room/${index}`);
  for (const kind of [roomKinds.gate, streamKinds.gate])
    await jobs.setAll(database.db, kind, subjects, new Date());
  jobs.start();
  await until(() => waiting === 2 * recheckJobs.atOnce, 'as many checks wait as may');
  await jobs.set(database.db, 'deadline', 'call', new Date());
  await until(() => isDone, 'the other job has run');
  expect(waiting).toBe(2 * recheckJobs.atOnce);
});
