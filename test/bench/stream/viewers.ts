import type { Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { cpuFigures } from '../rooms/cpuFigures.ts';
import { inTurns } from '../rooms/inTurns.ts';
import { bareSide, parleySide } from './openSides.ts';
import { chosenShapes, describe } from './shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const timing = { rounds, settleMs: 1_000, measureMs: 5_000 };
const goals = { ratio: 1, signalling: 5 };

/** Measures the servers' CPU time per viewer, and compares it with that of bare mediasoup. Nothing is decoded. */
export const viewers: Bench = {
  title: 'Viewers of a stream',
  about:
    'A stream in 720p with one layer, as OBS sends it, and viewers that receive it with real ICE, DTLS and SRTP and send the feedback of a browser. ' +
    'The figure is the CPU time of the server (Node.js and media workers) per megabit that the viewers received; the bitrate is what two cores carry with the receivers on them. ' +
    'The baseline is a minimal mediasoup server with the same worker program and the same transport options. Both run all the time and are measured in turns. ' +
    'Where the ratio is above that of the media workers, the rest is Node.js. Its CPU time hardly depends on the viewers: 4 ms a second for heartbeats, polls and statistics, and for a minute after a change as much for garbage collection, with which V8 returns memory (by --cpu-prof and --trace-gc with 20 viewers).',
  async run() {
    const sides = [await parleySide(), await bareSide()];
    const figures: Figure[] = [];
    try {
      for (const shape of chosenShapes(process.env)) {
        for (const { packets } of sides) await packets.growTo(shape);
        const samples = await inTurns(`${shape.viewers} viewers`, sides, timing);
        figures.push(...cpuFigures(describe(shape), samples, goals));
      }
    } finally {
      for (const side of sides) await side.close();
    }
    return figures;
  },
};
