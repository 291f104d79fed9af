import { availableParallelism } from 'node:os';
import { ofRounds, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { cpuPerMegabit } from '../rooms/cpuFigures.ts';
import { inTurns } from '../rooms/inTurns.ts';
import type { Sample } from '../rooms/Sample.ts';
import { grow, kbit, mostLost, type Carried } from './manyViewers.ts';
import { janusSide, parleySide } from './openSides.ts';
import { describe } from './shapes.ts';

const servers = Number(process.env.BENCH_SERVERS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const timing = { rounds, settleMs: 1_000, measureMs: 5_000, warmUpMs: 30_000 };
const shapes = [
  { viewers: 50, kbit: 2_500 },
  { viewers: 200, kbit: 700 },
];

const loops = availableParallelism();
const [janusName, loopsName] = ['Janus', `Janus with ${loops} event loops`];
const turns = [parleySide, () => janusSide(janusName, null), () => janusSide(loopsName, loops)] as const;

/** Viewers of a stream on Parley beside viewers of the same stream on Janus. */
export const janus: Bench = {
  title: 'Viewers of a stream beside Janus',
  about: [
    'The same stream and the same receivers as in the sections before, with Debian’s Janus as the baseline: a publisher in a room of its VideoRoom plugin, and viewers who subscribe to it over WebSockets.',
    `The first Janus has its default settings, with a thread per peer; the second one has an event loop per core (event_loops = ${loops}), which its configuration file offers for many peers.`,
    'Janus 1.1 has less to do than Parley: it stores nothing, and does not estimate the bandwidth of each viewer, for which mediasoup reads a report of the viewer ten times a second. The CPU time is that of all processes of the server but PostgreSQL.',
    `The number of viewers is that at ${kbit} kbit/s with at most ${mostLost * 100} % of the packets lost, found as in [that section](#as-many-viewers-as-this-machine-carries): the receivers run on the same cores.`,
  ].join(' '),
  async run() {
    const samples = shapes.map(() => turns.map((): Sample[] => []));
    for (let server = 0; server < servers; server++) {
      const sides = [];
      try {
        for (const open of turns) sides.push(await open());
        for (const [index, shape] of shapes.entries()) {
          for (const { packets } of sides) await packets.growTo(shape);
          const measured = await inTurns(`${shape.viewers} viewers`, sides, timing);
          for (const [side, more] of measured.entries()) samples[index]?.[side]?.push(...more);
        }
      } finally {
        for (const side of sides) await side.close();
      }
    }
    const carried: Carried[][] = [];
    for (const open of turns) {
      const side = await open();
      try {
        carried.push([await grow(side, side.name)]);
      } finally {
        await side.close();
      }
    }
    return [
      ...shapes.flatMap((shape, index) => cpuFigures(describe(shape), samples[index] ?? [])),
      ...besides(
        `viewers at ${kbit} kbit/s with at most ${mostLost * 100} % loss`,
        '',
        carried,
        (each) => each.carried,
      ),
      ...besides('memory per viewer', 'kB', carried, ({ kbPerViewer }) => kbPerViewer),
    ];
  },
};

const cpuFigures = (what: string, samples: Sample[][]): Figure[] => [
  ...besides(`${what}: CPU time of the server`, 'ms/Mbit', samples, cpuPerMegabit),
  ...besides(`${what}: packets arrived`, '%', samples, ({ arrived, expected }) => (100 * arrived) / expected),
];

/** Parley's values beside those of each Janus. */
function besides<Each>(
  what: string,
  unit: Figure['unit'],
  [ours = [], ...baselines]: Each[][],
  of: (each: Each) => number,
): Figure[] {
  return baselines.map((values, index) => {
    const name = [janusName, loopsName][index] ?? '';
    return ofRounds({
      what: index === 0 ? what : `${what}, to ${loops} event loops`,
      unit,
      ours: ours.map(of),
      baseline: { name, values: values.map(of) },
    });
  });
}
