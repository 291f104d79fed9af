import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../database/database.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { copyDatabaseTemplate } from '../../test/harness/nodes/databaseTemplate.ts';
import { until } from '../../test/harness/until.ts';
import { ScheduledJobs } from './ScheduledJobs.ts';

let folder: string;
let database: OpenDatabase;
let opened: ScheduledJobs[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-jobs-'));
  await copyDatabaseTemplate(folder);
  database = await openDatabase({ dataDir: folder, logger: silent });
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await Promise.all(opened.map((each) => each.close()));
  opened = [];
});

/** Opens the scheduled jobs of one process, records the subjects of the jobs that it ran, and counts its queries. */
function open(options: { isSingleNode: boolean; leaseSeconds?: number; closingMs?: number }, kind = 'test') {
  const ran: string[] = [];
  let queries = 0;
  const logger = { logQuery: () => void queries++ };
  const jobs = new ScheduledJobs(drizzle(database.pool, { logger }), silent, options);
  opened.push(jobs);
  let failures = 0;
  jobs.on(kind, async ({ subject }) => {
    await Promise.resolve();
    if (subject === 'fails once' && failures++ === 0) throw new Error('expected');
    ran.push(subject);
  });
  return { jobs, ran, queries: () => queries };
}

const soon = () => new Date(Date.now() + 1_000);

describe.each([true, false])('scheduled jobs, single node: %s', (isSingleNode) => {
  it('runs each job once when it is due, and again after a failure', async () => {
    const { jobs, ran } = open({ isSingleNode });
    jobs.start();
    await jobs.set(database.db, 'test', 'later', soon());
    await jobs.set(database.db, 'test', 'now', new Date());
    await jobs.set(database.db, 'test', 'fails once', new Date());
    await jobs.set(database.db, 'test', 'never', soon());
    await jobs.cancel(database.db, 'test', 'never');
    await until(() => ran.length === 3, 'all jobs ran', 30_000);
    expect(ran.toSorted()).toEqual(['fails once', 'later', 'now']);
    expect(await jobs.find(database.db, 'test', 'later')).toBeNull();
  });

  it('finds jobs that are committed late or set by another process', async () => {
    const { jobs, ran, queries } = open({ isSingleNode });
    jobs.start();
    await until(() => queries() >= 2, 'it is idle');
    await database.db.transaction(async (tx) => {
      await jobs.set(tx, 'test', 'committed late', new Date());
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    });
    const command = open({ isSingleNode: true });
    await command.jobs.set(database.db, 'test', 'of a command', new Date());
    await until(() => ran.length === 2, 'both jobs ran', 30_000);
    expect(command.ran).toEqual([]);
  });
});

it('runs a job once, however long its handler takes and whoever moves it meanwhile', async () => {
  const nodes = [0, 1].map(() => open({ isSingleNode: false, leaseSeconds: 1 }, 'long'));
  const started: number[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  nodes.forEach(({ jobs }, index) => {
    jobs.on('long', async () => {
      started.push(index);
      await ended;
    });
    jobs.start();
  });
  const [{ jobs, queries }] = nodes as [(typeof nodes)[0]];
  await jobs.set(database.db, 'long', 'work', new Date());
  await until(() => started.length > 0, 'it runs');
  const before = queries();
  // At two polls a second, the lease would have ended twice.
  await until(() => queries() >= before + 8, 'both nodes have looked for jobs');
  expect(started).toHaveLength(1);
  // This deadline belongs to the next run, so the end of the present one does not delete it.
  await jobs.set(database.db, 'long', 'work', new Date(Date.now() + 3_600_000));
  end();
  await Promise.all(nodes.map((node) => node.jobs.close()));
  expect(await jobs.find(database.db, 'long', 'work')).not.toBeNull();
});

it('queries less often on a single node', async () => {
  const [single, shared] = [open({ isSingleNode: true }, 'one'), open({ isSingleNode: false }, 'other')];
  single.jobs.start();
  shared.jobs.start();
  await until(() => shared.queries() >= 24, '24 queries', 60_000);
  expect(single.queries()).toBeLessThan(12);
});

/** A kind whose handlers wait until release(). */
function hold(jobs: ScheduledJobs, kind: string, options: { atOnce?: number } = {}) {
  const held = { running: 0, most: 0, ran: 0, release: () => {} };
  const released = new Promise<void>((resolve) => (held.release = resolve));
  jobs.on(
    kind,
    async () => {
      held.most = Math.max(held.most, ++held.running);
      await released;
      // At least one other job would begin during this time.
      await new Promise((resolve) => setTimeout(resolve, 10));
      held.running--;
      held.ran++;
    },
    options,
  );
  return held;
}
const subjects = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

it('runs no more jobs of a kind at the same time than its limit', async () => {
  const { jobs } = open({ isSingleNode: true });
  const held = hold(jobs, 'bounded', { atOnce: 2 });
  held.release();
  await jobs.setAll(database.db, 'bounded', subjects(7), new Date());
  jobs.start();
  await until(() => held.ran === 7, 'all have run');
  expect(held.most).toBe(2);
});

it('a backlog of a kind with a limit holds up no other kind, nor the reverse', async () => {
  const { jobs, ran } = open({ isSingleNode: false });
  const bounded = hold(jobs, 'bounded', { atOnce: 64 });
  const others = hold(jobs, 'unbounded');
  await jobs.setAll(database.db, 'bounded', subjects(400), new Date());
  jobs.start();
  await until(() => bounded.running === 64, 'the kind is at its limit');
  await jobs.set(database.db, 'test', 'beside it', new Date());
  await until(() => ran.includes('beside it'), 'a job of another kind has run');

  await jobs.setAll(database.db, 'unbounded', subjects(400), new Date());
  await until(() => others.running === 200, 'the other kinds are at theirs');
  bounded.release();
  await until(() => bounded.ran === 400, 'the kind with a limit has run');
  expect([bounded.most, others.most]).toEqual([64, 200]);
  others.release();
  await until(() => others.ran === 400, 'the others have run');
});

it('closes without a handler that takes long, whose job runs again', async () => {
  const first = open({ isSingleNode: false, leaseSeconds: 1, closingMs: 50 });
  const held = hold(first.jobs, 'export');
  await first.jobs.set(database.db, 'export', 'large', new Date());
  first.jobs.start();
  await until(() => held.running === 1, 'it runs');
  await first.jobs.close();
  expect(held.ran).toBe(0);
  expect(await first.jobs.find(database.db, 'export', 'large')).not.toBeNull();
  held.release();
});
