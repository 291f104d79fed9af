import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Address } from '../../sdk/protocol/common.ts';
import type { ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { newWallet } from '../../test/integration/support.ts';
import { deferred, type Deferred } from '../../test/load/deferred.ts';
import type { Notifier } from '../socket/Notifier.ts';
import { EventLog } from './EventLog.ts';

/* What happens while doubts are settled. The database answers each query when the test says so. */

const { address: wallet } = newWallet();
const doubtMs = 1_000;
let queries: Deferred<{ wallet: Address; latest: number }[]>[];
let announced: unknown[];
let events: EventLog;

beforeEach(() => {
  vi.useFakeTimers();
  [queries, announced] = [[], []];
  const where = () => {
    const query = deferred<{ wallet: Address; latest: number }[]>();
    queries.push(query);
    return query.promise;
  };
  const db = { select: () => ({ from: () => ({ where }) }) } as unknown as NodePgDatabase;
  const toWallet = (...[, event, payload]: unknown[]) => announced.push([event, payload]);
  const notifier = { toWallet } as unknown as Notifier;
  const jobs = { on() {} } as unknown as ScheduledJobs;
  events = new EventLog({ db, notifier, jobs, log: silent, keepDays: 30 });
});
afterEach(() => {
  events.close();
  vi.useRealTimers();
});

const pass = () => vi.advanceTimersByTimeAsync(doubtMs);

async function answer(query: number, latest: number): Promise<void> {
  queries[query]?.resolve([{ wallet, latest }]);
  await vi.advanceTimersByTimeAsync(0);
}

it('settles a doubt that arises while an earlier one of the wallet is being settled', async () => {
  events.doubt([wallet]);
  await pass();
  events.doubt([wallet]);
  await answer(0, 1);
  await pass();
  await answer(1, 2);
  expect(announced).toEqual([
    ['session:behind', { latest: 1 }],
    ['session:behind', { latest: 2 }],
  ]);
  await pass();
  expect(queries).toHaveLength(2);
});

it('keeps a doubt whose query fails, even after a later query has succeeded', async () => {
  events.doubt([wallet]);
  await pass();
  // The next query is about no wallet.
  await pass();
  queries[1]?.resolve([]);
  await vi.advanceTimersByTimeAsync(0);
  queries[0]?.reject(new Error('connection lost'));
  await pass();
  await answer(2, 1);
  expect(announced).toEqual([['session:behind', { latest: 1 }]]);
});
