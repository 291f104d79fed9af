import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from '../harness/until.ts';
import { ofRounds, ofSamples, ofValue, type Unit } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';
import type { Arrivals } from './webhooks/receivers.ts';
import type { Order, Sent, Usage } from './webhooks/sender.ts';

const answering = 90;
const hanging = 10;
const order: Order = { perSecond: Number(process.env.BENCH_RATE ?? 1_000), seconds: 8 };
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const lateMs = 60_000;

interface Round {
  latencies: number[];
  /** Deliveries per second to the receivers that answer, until the last one has arrived. */
  perSecond: number;
  repeated: number;
  unsigned: number;
  /** CPU time per event, in microseconds. */
  node: number;
  postgres: number;
  memory: number;
}

/** Webhooks to many receivers, some of which hang. Parley and the baseline take turns, so that other load affects both. */
export const webhooks: Bench = {
  title: 'Webhooks',
  about: `${order.perSecond} events a second for ${order.seconds} s to the endpoints of ${answering + hanging} accounts. ${hanging} of the receivers accept connections and never answer: their deliveries are given up after 5 s, and repeated later. Parley is a process with its database, its events and its deliveries, and without its HTTP interface. The events of 10 ms are stored in one transaction; each event is signed and delivered, and its outcome is stored. A fifth of the events belong to rooms, whose events arrive in order. A latency is the time from the event to its arrival. The baseline is fetch() at the same rate without storage, signatures and order. CPU times are per event, also of those to the receivers that hang, and include storing it. The goal is 97 % of the rate of those that answer, because the time runs until the last arrival.`,
  profile:
    'An event costs Node.js and PostgreSQL 0.7 ms of CPU time each on an Intel Xeon, and Node.js without storage 0.4 ms. So 900 events a second take 1.3 of the two cores, on which the events are also generated and received: at a little more, or on a busier machine, a queue grows, and with it the time until an event arrives. By EXPLAIN, more than half of the time of PostgreSQL’s statements goes to claiming deliveries, storing events, settling deliveries and claiming jobs.',
  async run() {
    const children: ChildProcess[] = [];
    const start = async (script: string, ...args: string[]) => {
      const path = fileURLToPath(new URL(`webhooks/${script}.ts`, import.meta.url));
      const child = fork(path, args, { execArgv: ['--import', 'tsx'] });
      children.push(child);
      const [first] = (await once(child, 'message')) as [unknown];
      return { child, first };
    };
    try {
      const receivers = await start('receivers', String(answering), String(hanging));
      const urls = receivers.first as string[];
      const subjects = {
        ours: (await start('sender', 'parley', ...urls)).child,
        bare: (await start('sender', 'bare', ...urls)).child,
      };
      const samples: Record<keyof typeof subjects, Round>[] = [];
      for (let round = 0; round <= rounds; round++) {
        process.stdout.write(`\r  round ${round} of ${rounds}`);
        const sample = {
          ours: await measure(subjects.ours, receivers.child),
          bare: await measure(subjects.bare, receivers.child),
        };
        // The first round only warms up.
        if (round > 0) samples.push(sample);
      }
      const of = <Name extends keyof Round>(whose: 'ours' | 'bare', name: Name) =>
        samples.map((sample) => sample[whose][name]);
      const figure = (what: string, unit: Unit, name: 'perSecond' | 'node' | 'memory', atLeast?: number) =>
        ofRounds({
          what,
          unit,
          ours: of('ours', name),
          baseline: { name: 'bare fetch', values: of('bare', name) },
          ...(atLeast !== undefined && { goal: { of: 'value', atLeast } }),
        });
      // Rounds end with the last arrival, so the rate is a little below that of the events.
      const goal = order.perSecond * (answering / (answering + hanging)) * 0.97;
      const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
      return [
        figure(`deliveries to the ${answering} that answer`, '/s', 'perSecond', goal),
        ...ofSamples({
          what: 'event to arrival',
          unit: 'ms',
          samples: of('ours', 'latencies').flat(),
          baseline: { name: 'bare fetch', samples: of('bare', 'latencies').flat() },
          goals: { p99: 1_000 },
        }),
        figure('CPU time of Node.js per event', 'µs', 'node'),
        ofRounds({ what: 'CPU time of PostgreSQL per event', unit: 'µs', ours: of('ours', 'postgres') }),
        figure('memory of Node.js', 'MB', 'memory'),
        ofValue('repeated deliveries', '', sum(of('ours', 'repeated'))),
        ofValue('deliveries without a signature', '', sum(of('ours', 'unsigned')), { atMost: 0 }),
      ];
    } finally {
      for (const child of children.reverse()) await end(child);
    }
  },
};

async function ask<Answer>(child: ChildProcess, question: Order | 'usage' | 'take'): Promise<Answer> {
  child.send(question);
  return ((await once(child, 'message')) as [Answer])[0];
}

async function measure(sender: ChildProcess, receivers: ChildProcess): Promise<Round> {
  const before = await ask<Usage>(sender, 'usage');
  const startedAt = Date.now();
  const { byUrl } = await ask<Sent>(sender, order);
  const expected = byUrl.slice(0, answering).reduce((sum, each) => sum + each, 0);
  const all: Arrivals = { latencies: [], repeated: 0, unsigned: 0, lastAt: 0 };
  const areAllThere = async () => {
    const more = await ask<Arrivals>(receivers, 'take');
    all.latencies.push(...more.latencies);
    all.repeated += more.repeated;
    all.unsigned += more.unsigned;
    all.lastAt = Math.max(all.lastAt, more.lastAt);
    return all.latencies.length >= expected;
  };
  await until(areAllThere, `${expected} webhooks arrive`, lateMs);
  const after = await ask<Usage>(sender, 'usage');
  const perEvent = (name: 'node' | 'postgres') =>
    ((after[name] - before[name]) * 1_000) / (order.perSecond * order.seconds);
  return {
    ...all,
    perSecond: expected / ((all.lastAt - startedAt) / 1_000),
    node: perEvent('node'),
    postgres: perEvent('postgres'),
    memory: after.memory,
  };
}

/** Ends a child process; the sender removes its database first. */
async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  if (child.spawnargs.some((argument) => argument.endsWith('sender.ts'))) child.send('close');
  else child.disconnect();
  await ended;
}
