import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/node-postgres';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, type OpenDatabase } from '../database/database.ts';
import { silent } from '../../test/harness/embeddedPostgres/support.ts';
import { layDatabase } from '../../test/harness/databaseTemplate.ts';
import { until } from '../../test/harness/until.ts';
import { ScheduledJobs } from './ScheduledJobs.ts';

let folder: string;
let database: OpenDatabase;
let rows: ScheduledJobs[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-due-'));
  await layDatabase(folder);
  database = await openDatabase({ dataDir: folder, logger: silent });
});
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await Promise.all(rows.map((each) => each.close()));
  rows = [];
});

/** One process's, and what it ran; how often it asked the database. */
function open(options: { isSingleNode: boolean }, kind = 'test') {
  const ran: string[] = [];
  let asked = 0;
  const logger = { logQuery: () => void asked++ };
  const jobs = new ScheduledJobs(drizzle(database.pool, { logger }), silent, options);
  rows.push(jobs);
  let failures = 0;
  jobs.on(kind, async ({ subject }) => {
    await Promise.resolve();
    if (subject === 'fails once' && failures++ === 0) throw new Error('as it should');
    ran.push(subject);
  });
  return { due: jobs, ran, asked: () => asked };
}

const soon = () => new Date(Date.now() + 1_000);

describe.each([true, false])('due rows of a process that is alone: %s', (isSingleNode) => {
  it('are run when they fall due, once, also after a failure', async () => {
    const { due: jobs, ran } = open({ isSingleNode });
    jobs.start();
    await jobs.set(database.db, 'test', 'later', soon());
    await jobs.set(database.db, 'test', 'now', new Date());
    await jobs.set(database.db, 'test', 'fails once', new Date());
    await jobs.set(database.db, 'test', 'never', soon());
    await jobs.cancel(database.db, 'test', 'never');
    await until(() => ran.length === 3, 'all of them', 30_000);
    expect(ran.toSorted()).toEqual(['fails once', 'later', 'now']);
    expect(await jobs.find(database.db, 'test', 'later')).toBeNull();
  });

  it('are found when they are committed late, or set by a command', async () => {
    const { due: jobs, ran, asked } = open({ isSingleNode });
    jobs.start();
    await until(() => asked() >= 2, 'it rests');
    await database.db.transaction(async (tx) => {
      await jobs.set(tx, 'test', 'committed late', new Date());
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    });
    const command = open({ isSingleNode: true });
    await command.due.set(database.db, 'test', 'of a command', new Date());
    await until(() => ran.length === 2, 'both', 30_000);
    expect(command.ran).toEqual([]);
  });
});

it('a process that is alone asks less often than one that is not', async () => {
  const [alone, shared] = [open({ isSingleNode: true }, 'one'), open({ isSingleNode: false }, 'other')];
  alone.due.start();
  shared.due.start();
  await until(() => shared.asked() >= 24, 'it has asked for a while', 60_000);
  expect(alone.asked()).toBeLessThan(12);
});
