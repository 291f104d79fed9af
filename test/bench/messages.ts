import { ServerProcess } from '../harness/nodes/ServerProcess.ts';
import { inserts, relay, storingRelay } from './messages/bare.ts';
import { heldRates, inFlight, latenciesAt, warmUp, type Held } from './messages/load.ts';
import { parley, unlimited } from './messages/parley.ts';
import { pairs, type Transport } from './messages/Transport.ts';
import { ofRounds, ofSamples, type Figure } from './report/Figure.ts';
import type { Bench } from './report/Report.ts';

/** Messages per second, with the goal of the 99th percentile in milliseconds. */
const rates = [
  { rate: 100, goals: {} },
  { rate: 500, goals: {} },
  { rate: 1_000, goals: { p99: 25 } },
];

/** Durable messages, from the sender's request to the arrival at the recipient's device and the answer to the sender. */
export const messages: Bench = {
  title: 'Durable messages',
  about: [
    `${pairs} pairs of devices. A message counts when it is stored with fsync, its sender has the answer, and it has arrived at its recipient’s device; recipients send receipts.`,
    `Parley stores each message with the events of both wallets and the state of the conversation, and checks block list and pushes. The highest rate is that with ${inFlight.toLocaleString('en-US')} messages in flight.`,
    'The devices are light clients, which do not parse what they need not, because they share the cores with the server.',
    'There are three baselines. Bare Socket.IO relays messages without storing them. Bare inserts store one row per statement and commit in the same PostgreSQL, from the generator itself, and relay nothing.',
    'Each of these two has both cores for its half of the work. Socket.IO that inserts is what a person would write by hand: one process that inserts a row like the second baseline, then relays and acknowledges.',
    'The goal of the ratio is against the slower of the first two; the third does the same work as Parley, except events, receipts, block list, pushes, checks and limits.',
  ].join(' '),
  profile:
    '**The ratio of 1.03 is too good:** bare inserts have 16 connections, because PostgreSQL allows 60 in all. In a run with 32, for which PostgreSQL was allowed 200, they reached 29,200 a second and Parley 25,300, a ratio of 0.88 (0.87 to 0.92, 3 rounds); with 64, 29,400 and 23,500, a ratio of 0.80 (0.78 to 0.92). The number of messages in flight decides how well server, PostgreSQL and devices overlap: with 256 of them Parley reached 19,500 a second, with 512 23,000, and with 1,024 24,500 (on one Intel Xeon). With 256 they waited for one another, and 0.45 of the two cores were idle or waited for the disk (by /proc/stat). More statements at a time, three or four instead of two, changed nothing. At the highest rate, the server takes 0.7 of a core and PostgreSQL 0.6 (CPU time per message times the rate). By auto_explain, nine tenths of the time of PostgreSQL’s statements are one statement for each batch of messages, which reads about 22 pages a message, all from memory: for the message, two events, their numbers and the time of the conversation, with their indexes. No scan reads a row that it does not need.',
  async run() {
    const server = await ServerProcess.start(unlimited);
    const transports: Transport[] = [];
    try {
      transports.push(await parley(server), await relay(), await inserts(server), await storingRelay(server));
      const [ours, , , storing] = transports as [Transport, Transport, Transport, Transport];
      await warmUp(transports);
      const figures: Figure[] = [];
      for (const [index, each] of rates.entries())
        figures.push(...(await latencies([ours, storing], each, index % 2 === 0)));
      return [...highestRates(transports, await heldRates(transports)), ...figures];
    } finally {
      for (const transport of transports) await transport.close();
      await server.dispose();
    }
  },
};

async function latencies(
  [ours, theirs]: readonly [Transport, Transport],
  { rate, goals }: (typeof rates)[number],
  isOurTurn: boolean,
): Promise<Figure[]> {
  const early = isOurTurn ? null : await latenciesAt(theirs, rate);
  const samples = await latenciesAt(ours, rate);
  const baseline = { name: theirs.name, samples: early ?? (await latenciesAt(theirs, rate)) };
  const what = `from sending to stored and delivered, ${rate.toLocaleString('en-US')}/s`;
  return ofSamples({ what, unit: 'ms', samples, goals, baseline });
}

function highestRates(transports: readonly Transport[], samples: readonly Held[][]): Figure[] {
  const [ours = [], relayed = [], inserted = [], storing = []] = samples;
  const [, relayName = '', insertsName = '', storingName = ''] = transports.map(({ name }) => name);
  const rateOf = (rounds: Held[]) => rounds.map(({ perSecond }) => perSecond);
  const slower = rateOf(relayed).map((rate, round) => Math.min(rate, inserted[round]?.perSecond ?? NaN));
  const rate = { unit: '/s' as const, ours: rateOf(ours) };
  const cpu = (of: keyof Held['cpu']) => {
    const cpuOf = (rounds: Held[]) => rounds.map((round) => round.cpu[of]);
    const baseline = { name: storingName, values: cpuOf(storing) };
    return ofRounds({ what: `CPU of the ${of} per message`, unit: 'µs', ours: cpuOf(ours), baseline });
  };
  return [
    ofRounds({ ...rate, what: 'highest rate', goal: { of: 'value', atLeast: 12_000 } }),
    ofRounds({
      ...rate,
      what: 'highest rate, to the slower of relaying and storing',
      baseline: { name: `slower of ${relayName} and ${insertsName}`, values: slower },
      goal: { of: 'ratio', atLeast: 0.85 },
    }),
    ofRounds({
      ...rate,
      what: 'highest rate, to relaying',
      baseline: { name: relayName, values: rateOf(relayed) },
    }),
    ofRounds({
      ...rate,
      what: 'highest rate, to storing',
      baseline: { name: insertsName, values: rateOf(inserted) },
    }),
    ofRounds({
      ...rate,
      what: 'highest rate, to storing and relaying',
      baseline: { name: storingName, values: rateOf(storing) },
    }),
    cpu('server'),
    cpu('database'),
  ];
}
