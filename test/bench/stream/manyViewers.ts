import { setTimeout as delay } from 'node:timers/promises';
import { ofRounds } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { bareName } from '../rooms/cpuFigures.ts';
import { memoryByKind } from '../rooms/processes.ts';
import { bareSide, parleySide, type StreamSide } from './openSides.ts';

/** The bitrate of the video, in kbit/s. */
export const kbit = 600;
/** The first size. Every side carries so many. */
const first = Number(process.env.BENCH_FEW ?? 200);
const most = Number(process.env.BENCH_VIEWERS ?? 4_000);
const step = Number(process.env.BENCH_STEP ?? 100);
const rounds = Number(process.env.BENCH_ROUNDS ?? 2);
const [settleMs, measureMs, tickMs] = [3_000, 5_000, 2];
/** The maximum loss, as a share of the packets. */
export const mostLost = 0.001;
/** A size is measured again this many times, because another program may have taken the cores for a moment. */
const repeats = 1;
/** One side ends after this time at the latest. */
const limitMs = 10 * 60_000;
const spreadName = 'bare mediasoup on all workers';

/** Finds how many viewers each server carries, by adding viewers until packets are lost. */
export const manyViewers: Bench = {
  title: 'As many viewers as this machine carries',
  about:
    `Viewers are added to a stream of ${kbit} kbit/s, ${step} at a time, until more than ${mostLost * 100} % of the packets of five seconds are lost (no packet is sent again). ` +
    'The receivers run on the same cores and take about as much of them as the server, so the number is one of server and receivers together: the ratio says whether Parley carries as many as bare mediasoup. ' +
    'Parley and the baselines have one worker per core. The first baseline keeps a room on one router, and so on one worker, as in mediasoup’s demo. The second one is what a person would write to use all cores: a router on each worker, over which the viewers are distributed, with a pipe between them. ' +
    'The memory is the growth of the resident memory of Node.js and the media workers from the first size to the last, divided by the additional viewers; it includes what the garbage collector has not freed yet.',
  async run() {
    const results: Record<'parley' | 'bare' | 'spread', Carried[]> = { parley: [], bare: [], spread: [] };
    for (let round = 0; round < rounds; round++) {
      const turns = [
        ['parley', parleySide],
        ['bare', bareSide],
        ['spread', () => bareSide({ routerPerWorker: true })],
      ] as const;
      for (const [name, open] of round % 2 === 0 ? turns : turns.toReversed()) {
        const side = await open();
        try {
          results[name].push(await grow(side, `round ${round + 1} of ${rounds}, ${name}`));
        } finally {
          await side.close();
        }
      }
    }
    const names = { bare: bareName, spread: spreadName };
    return (['bare', 'spread'] as const).flatMap((baseline) => {
      const compare = (what: string, value: (result: Carried) => number) => ({
        what: baseline === 'bare' ? what : `${what}, to both workers`,
        ours: results.parley.map(value),
        baseline: { name: names[baseline], values: results[baseline].map(value) },
      });
      return [
        ofRounds({
          ...compare(
            `viewers at ${kbit} kbit/s with at most ${mostLost * 100} % loss`,
            ({ carried }) => carried,
          ),
          unit: '',
          goal: { of: 'ratio', atLeast: 1 },
        }),
        ofRounds({ ...compare('memory per viewer', ({ kbPerViewer }) => kbPerViewer), unit: 'kB' }),
      ];
    });
  },
};

export interface Carried {
  /** The largest number of viewers without too much loss. */
  carried: number;
  kbPerViewer: number;
}

/** Adds viewers until packets are lost. @param what the name of the round, for the progress line */
export async function grow({ packets, pid }: StreamSide, what: string): Promise<Carried> {
  const startedAt = performance.now();
  const memory = new Map<number, number>();
  for (let viewers = first; viewers <= most && performance.now() - startedAt < limitMs; viewers += step) {
    await packets.growTo({ viewers, kbit });
    let lost = await lossOf(packets);
    for (let again = 0; again < repeats && lost > mostLost; again++) lost = await lossOf(packets);
    process.stdout.write(`\r  ${what}: ${viewers} viewers, ${(100 * lost).toFixed(3)} % lost   `);
    if (lost > mostLost) break;
    const { node, workers } = memoryByKind(pid);
    memory.set(viewers, node + workers);
  }
  process.stdout.write('\n');
  const [[fewest, before] = [0, NaN], [carried, after] = [0, NaN]] = [[...memory][0], [...memory].at(-1)];
  return { carried, kbPerViewer: (after - before) / (carried - fewest) };
}

/** The share of the packets that did not arrive, from the gaps in the sequence numbers. A viewer whom nothing reaches loses all. */
async function lossOf(packets: StreamSide['packets']): Promise<number> {
  packets.begin(performance.now());
  const sending = setInterval(() => packets.tick(performance.now()), tickMs);
  try {
    await delay(settleMs);
    const [before, arrivedBefore] = [packets.losses, packets.arrivedByViewer];
    await delay(measureMs);
    const [after, arrivedAfter] = [packets.losses, packets.arrivedByViewer];
    const unreached = arrivedAfter.filter((arrived, viewer) => arrived === arrivedBefore[viewer]).length;
    const lost = (after.lost - before.lost) / (after.expected - before.expected);
    return (lost * (arrivedAfter.length - unreached) + unreached) / arrivedAfter.length;
  } finally {
    clearInterval(sending);
  }
}
