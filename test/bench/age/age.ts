import { setTimeout as delay } from 'node:timers/promises';
import { closeSockets } from '../../integration/support.ts';
import { isMet, ofRounds, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { AgedServer, type AgedSession } from './AgedServer.ts';
import { operations, type Operation } from './operations.ts';

const few = Number(process.env.BENCH_FEW ?? 10_000);
const many = Number(process.env.BENCH_ROWS ?? 1_000_000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 7);
/** A write is done when it has read nothing for so long: a part of it runs after the answer. */
const settledMs = 150;
/** Only operations whose names contain this are measured. */
const only = process.env.BENCH_ONLY ?? '';

/** What one call of an operation cost, in each round. */
interface Costs {
  buffers: number[];
  ms: number[];
}

/** All lists and writes, on a database with few and on one with many rows. */
export const age: Bench = {
  title: 'A million rows',
  about: `Each list with each of its filters, its last page, and each write, at ${many.toLocaleString('en')} rows in each of the tables that grow fastest, half of them of the account that asks, beside the same at ${few.toLocaleString('en')}, in turns. Buffers are the pages of 8 kB that PostgreSQL reads per call, by pg_stat_statements; the time is that of the client. A figure shows the operation of its group that grows most, and the operations that miss the goal have one each.`,
  profile:
    'By the pages that each statement reads: at a million rows an index has one level more, so a row that is looked up costs 4 pages instead of 3. A page of a search looks up 51 messages and the receipts of each, which is 408 of its 478 pages; at 10,000 rows all 200 receipts are in 9 pages. The list of conversations looks up as much, and looks at whole hours, in which more conversations were active than it shows. The removal of old rows looks at 20,000 files a run, in 464 pages; 10,000 rows have 1,000 files, in 22 pages. The last pages of calls, recordings and rooms have 26, 17 and 7 rows at 10,000 rows, and 51 at a million. After a change of a profile, the wallets that know it are looked up, which the figure counts when it ends soon enough: by the statement, up to 500 calls each way and 500 conversations, with up to 1,000 messages of each. Times of some milliseconds vary by more than the goal between two runs.',
  async run() {
    const measured = operations.filter(({ name }) => name.includes(only));
    const [before, after] = await measure(measured);
    const groups = [...new Set(measured.map(({ group }) => group))];
    return groups.flatMap((group) => {
      const names = measured.filter((each) => each.group === group).map(({ name }) => name);
      return [
        ...figuresOf(group, names, 'buffers', before, after),
        ...figuresOf(group, names, 'ms', before, after),
      ];
    });
  },
};

type AllCosts = Map<string, Costs>;

/** Measures the two databases in turns, so that other load of the machine slows both. @returns the costs with few and with many rows */
async function measure(measured: Operation[]): Promise<[AllCosts, AllCosts]> {
  const servers: AgedServer[] = [];
  try {
    for (const rows of [few, many]) servers.push(await AgedServer.fill(rows));
    const sides = [];
    for (const aged of servers) sides.push({ session: await aged.open(), costs: new Map<string, Costs>() });
    for (const [index, operation] of measured.entries()) {
      process.stdout.write(`\r  ${index + 1} of ${measured.length} `);
      for (const { costs } of sides) costs.set(operation.name, { buffers: [], ms: [] });
      // The first call is not counted: it fills the caches of the server and of the connections.
      for (let round = -1; round < rounds; round++) {
        for (const { session, costs } of sides)
          await measureOnce(operation, session, round < 0 ? null : costs);
      }
    }
    const [before, after] = sides.map(({ costs }) => costs);
    return [before ?? new Map(), after ?? new Map()];
  } finally {
    closeSockets();
    for (const aged of servers) await aged.dispose();
  }
}

async function measureOnce(operation: Operation, session: AgedSession, all: AllCosts | null): Promise<void> {
  const isPeriodic = operation.group === 'periodic work';
  const before = await session.buffers(isPeriodic);
  const startedAt = performance.now();
  await operation.run(session);
  const costs = all?.get(operation.name);
  costs?.ms.push(performance.now() - startedAt);
  let after = await session.buffers(isPeriodic);
  if (operation.group.startsWith('writes')) {
    for (let last = -1; after !== last; after = await session.buffers(false)) {
      last = after;
      await delay(settledMs);
    }
  }
  // An operation that is answered from memory reads none, and has no ratio.
  costs?.buffers.push(Math.max(1, after - before));
}

/** The figure of the operation that grows most, and of all others that miss the goal. */
function figuresOf(
  group: string,
  names: string[],
  what: keyof Costs,
  before: Map<string, Costs>,
  after: Map<string, Costs>,
): Figure[] {
  const unit = what === 'ms' ? 'ms' : '';
  const goal = { of: 'ratio', atMost: 1.5 } as const;
  const label = what === 'ms' ? 'time' : 'buffers';
  const figures = names.map((name) => {
    const [values, ours] = [before, after].map((costs) => costs.get(name)?.[what] ?? []);
    const baseline = { name: `${name}, ${few} rows`, values: values ?? [] };
    return ofRounds({ what: `${name}: ${label}`, unit, ours: ours ?? [], goal, baseline });
  });
  const [worst, ...others] = figures.sort(
    (one, other) => (other.ratio?.value ?? 0) - (one.ratio?.value ?? 0),
  );
  if (!worst) return [];
  return [
    { ...worst, what: `${group} (${names.length}): ${label} of the one that grows most` },
    ...others.filter((each) => !isMet(each)),
  ];
}
