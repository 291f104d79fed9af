import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeSockets } from '../../integration/support.ts';
import { isMet, ofRounds, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { AgedServer, type AgedSession, type StatementCost } from './AgedServer.ts';
import type { Operation } from './Operation.ts';
import { operations } from './operations.ts';

const few = Number(process.env.BENCH_FEW ?? 10_000);
const many = Number(process.env.BENCH_ROWS ?? 1_000_000);
/** Between the two, to see whether what has grown goes on growing. */
const some = Math.round(Math.sqrt(few * many));
const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
/** A write is done when it has read nothing for so long: a part of it runs after the answer. */
const settledMs = 150;
/** Only operations whose names contain one of these, which are separated by semicolons, are measured. */
const only = (process.env.BENCH_ONLY ?? '').split(';');

/** What one call of an operation cost, in each round. */
interface Costs {
  buffers: number[];
  ms: number[];
}

/** All lists and writes, on a database with few rows, on one with many, and on one with some. */
export const age: Bench = {
  title: 'A million rows',
  about: `Each list with each of its filters, its last page, and each write of the two contracts, at ${many.toLocaleString('en')} rows in each of the tables that grow fastest, half of them of the account that asks, beside the same at ${few.toLocaleString('en')}, in turns. Buffers are the pages of 8 kB that PostgreSQL reads per call, by pg_stat_statements, without those of statements that one of the two servers also runs while nobody asks, and of the rows of requests in the audit log, which it writes together a second later: these are two operations of their own; the time is that of the client, and for periodic work that of PostgreSQL. A figure shows the operation of its group that grows most, and the operations that miss the goal have one each. The goal leaves room for the levels that an index grows by. The few requests without a row of these tables are left out: test/bench/age/notMeasured.ts has the reason for each.`,
  profile:
    'By the pages that each statement reads (`npm run bench -- age --profile <folder>` writes which one of which operation reads more). With a hundred times the rows, an index has one or two levels more, and a table of a few pages, which PostgreSQL reads whole, becomes one in which each row is looked up: 4 pages instead of a share of a few. So what looks up a row for each of 51 others costs more, up to the depth of the indexes: the receipts of the messages that a search finds (most of its pages; the messages themselves are looked up together), the last message of each conversation and what the other side has read (most of the list of conversations), and whether the wallet has written in each of its latest 100 conversations, to whose other sides a changed profile is told (400 of 541). The figures since 100,000 rows say how much of that is a matter of small tables: less than half, in most. The list of conversations also looks at whole hours, in which more conversations were active than it shows. A search looks at the latest 64 messages first, which are enough for a frequent word (before, the word index found all 100,000 messages of a month that have the word, and the search took twice as long as at ten thousand rows), and asks the word index for a rare one. The usage of a week reads five rows of sums for each day, one for each key that was used; with more accounts, rows of others lie between them. A page of the viewers of a stream asks for each of the 51 that it reads whether the viewer came earlier with another player, at 4 pages each, however many viewers the stream has; where PostgreSQL expects few, it reads all of the stream instead, which is cheaper for these 500, and would not be for 100,000. The lists of keys and of streams that have ended read 4 and 5 pages more, and no more than at 100,000 rows. The removal of old rows looks at the files of 64 pages, about 2,000, in each run, once an hour, for those that nothing uses any more (before, at up to 20,000: 26 ms at a million rows). What runs behind some answers (texts that leave, deliveries, counts of viewers) falls into one measurement and not into another, so the pages of some writes vary by round. Times of some milliseconds vary by more than the goal between two runs.',
  async run() {
    const measured = operations.filter(({ name }) => only.some((part) => name.includes(part)));
    const costs = await measure(measured);
    return byGroup(measured).flatMap(([group, operations]) => {
      const names = operations.map(({ name }) => name);
      return [...figuresOf(group, names, 'buffers', costs), ...figuresOf(group, names, 'ms', costs)];
    });
  },
};

type AllCosts = Map<string, Costs>;
type Statements = Map<string, StatementCost>;

/** One of the databases, what each operation has cost on it, and what its statements cost in the last round. */
interface Side {
  session: AgedSession;
  costs: AllCosts;
  statements: Map<string, Statements>;
}

function byGroup(operations: Operation[]): [string, Operation[]][] {
  const groups = [...new Set(operations.map(({ group }) => group))];
  return groups.map((group) => [group, operations.filter((each) => each.group === group)]);
}

/** Measures the databases in turns, so that other load of the machine slows all of them. @returns the costs with few, some and many rows */
async function measure(measured: Operation[]): Promise<AllCosts[]> {
  const servers: AgedServer[] = [];
  try {
    for (const rows of [few, some, many]) servers.push(await AgedServer.fill(rows));
    const sides: Side[] = [];
    const idle = new Set<string>();
    for (const aged of servers)
      sides.push({ session: await aged.open(idle), costs: new Map(), statements: new Map() });
    let done = 0;
    for (const [, operations] of byGroup(measured)) {
      // The first round is not counted: it fills the caches of the server and of the connections. The calls of one operation are seconds apart, so
      // that what PostgreSQL does in between does not fall into all of them.
      for (let round = -1; round < rounds; round++) {
        for (const operation of operations) {
          process.stdout.write(`\r  ${++done} of ${measured.length * (rounds + 1)} `);
          for (const side of sides) await measureOnce(operation, side.session, round < 0 ? null : side);
        }
      }
    }
    await keepGrowth(sides);
    return sides.map(({ costs }) => costs);
  } finally {
    closeSockets();
    for (const aged of servers) await aged.dispose();
  }
}

async function measureOnce(operation: Operation, session: AgedSession, side: Side | null): Promise<void> {
  const read = () => session.statements(operation.countsAll ?? false);
  const before = await read();
  const startedAt = performance.now();
  await operation.run(session);
  let ms = performance.now() - startedAt;
  let after = await read();
  if (operation.group.startsWith('writes')) {
    for (let last = -1; sum(after, 'pages') !== last; after = await read()) {
      last = sum(after, 'pages');
      await delay(settledMs);
    }
  }
  const spent = difference(before, after);
  // A scheduled job begins up to five seconds after it is due. Less than a millisecond in such a period has no ratio.
  if (operation.group === 'periodic work') ms = Math.max(1, sum(spent, 'ms'));
  if (!side) return;
  const { buffers, ms: times } = side.costs.get(operation.name) ?? { buffers: [], ms: [] };
  // An operation that is answered from memory reads none, and has no ratio.
  side.costs.set(operation.name, {
    buffers: [...buffers, Math.max(1, sum(spent, 'pages'))],
    ms: [...times, ms],
  });
  side.statements.set(operation.name, spent);
}

const sum = (statements: Statements, what: 'pages' | 'ms') =>
  [...statements.values()].reduce((total, cost) => total + cost[what], 0);

/** What each statement has cost since then, by its text: its id is another one in each database, and several ids can have one text. */
function difference(before: Statements, after: Statements): Statements {
  const spent: Statements = new Map();
  for (const [id, { text, ...now }] of after) {
    const [then, others] = [before.get(id), spent.get(text)];
    const since = (what: 'calls' | 'pages' | 'ms') => (others?.[what] ?? 0) + now[what] - (then?.[what] ?? 0);
    if (now.calls > (then?.calls ?? 0))
      spent.set(text, { text, calls: since('calls'), pages: since('pages'), ms: since('ms') });
  }
  return spent;
}

/** Writes which statement of which operation reads how many pages more, to the folder for profiles, the one that grows most first. */
async function keepGrowth([before, , after]: Side[]): Promise<void> {
  const folder = process.env.BENCH_PROFILE;
  if (!folder || !before || !after) return;
  const grown = [...after.statements].flatMap(([operation, statements]) =>
    [...statements.values()].map(({ text, pages, calls, ms }) => {
      const few = before.statements.get(operation)?.get(text)?.pages ?? 0;
      return {
        more: pages - few,
        pages,
        few,
        calls,
        ms: ms.toFixed(1),
        operation,
        text: text.replaceAll(/\s+/g, ' '),
      };
    }),
  );
  const lines = grown
    .sort((one, other) => other.more - one.more)
    .map((each) => Object.values(each).join('\t'));
  const header = 'pages more\tpages\tpages with few rows\tcalls\tms\toperation\tstatement';
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'statements.age.tsv'), [header, ...lines, ''].join('\n'));
}

/** The figure of the operation that grows most, and of all others that miss the goal, with how much of that is since `some` rows. */
function figuresOf(group: string, names: string[], what: keyof Costs, costs: AllCosts[]): Figure[] {
  const unit = what === 'ms' ? 'ms' : '';
  const label = what === 'ms' ? 'time' : 'buffers';
  const figureOf = (name: string, rows: number) => {
    const [ofFew = [], ofSome = [], ours = []] = costs.map((all) => all.get(name)?.[what]);
    const baseline = { name: `${name}, ${rows} rows`, values: rows === few ? ofFew : ofSome };
    return ofRounds({ what: `${name}: ${label}`, unit, ours, baseline });
  };
  const figures = names
    .map((name) => ({
      name,
      figure: { ...figureOf(name, few), goal: { of: 'ratio', atMost: 1.5 } as const },
    }))
    .sort((one, other) => (other.figure.ratio?.value ?? 0) - (one.figure.ratio?.value ?? 0));
  return figures.flatMap(({ name, figure }, index) => {
    const named =
      index === 0
        ? { ...figure, what: `${group} (${names.length}): ${label} of the one that grows most` }
        : figure;
    if (isMet(figure)) return index === 0 ? [named] : [];
    const since = figureOf(name, some);
    return [named, { ...since, what: `${since.what}, since ${some.toLocaleString('en')} rows` }];
  });
}
