import { ofRounds, type Figure } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import { bareName, cpuFigures } from '../rooms/cpuFigures.ts';
import { inTurns } from '../rooms/inTurns.ts';
import { memoryByKind } from '../rooms/processes.ts';
import { bareSide, parleySide } from './openSides.ts';
import { chosenShapes, describe } from './shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const timing = { rounds, settleMs: 1_000, measureMs: 5_000 };
const goals = { ratio: 1, signalling: 5 };

/** Measures the servers' CPU time and memory per viewer, and compares them with those of bare mediasoup. Nothing is decoded. */
export const viewers: Bench = {
  title: 'Viewers of a stream',
  about:
    'A stream in 720p with one layer, as OBS sends it, and viewers that receive it with real ICE, DTLS and SRTP and send the feedback of a browser. ' +
    'The figure is the CPU time of the server (Node.js and media workers) per megabit that the viewers received; the bitrate is what two cores carry with the receivers on them. ' +
    'The baseline is a minimal mediasoup server with the same worker program and the same transport options. Both run all the time and are measured in turns. ' +
    'The memory is the growth of the resident memory from the smallest to the largest size, divided by the additional viewers.',
  async run() {
    const sides = [await parleySide(), await bareSide()];
    const memory: { viewers: number; of: ReturnType<typeof memoryByKind>[] }[] = [];
    const figures: Figure[] = [];
    try {
      for (const shape of chosenShapes(process.env)) {
        for (const { packets } of sides) await packets.growTo(shape);
        const samples = await inTurns(`${shape.viewers} viewers`, sides, timing);
        figures.push(...cpuFigures(describe(shape), samples, goals));
        memory.push({ viewers: shape.viewers, of: sides.map(({ pid }) => memoryByKind(pid)) });
      }
    } finally {
      for (const side of sides) await side.close();
    }
    const [first, last] = [memory[0], memory.at(-1)];
    if (!first || !last || first === last) return figures;
    const perViewer = (side: number, kind: 'node' | 'workers') =>
      ((last.of[side]?.[kind] ?? NaN) - (first.of[side]?.[kind] ?? NaN)) / (last.viewers - first.viewers);
    const memoryFigure = (what: string, kind: 'node' | 'workers') =>
      ofRounds({
        what: `memory per viewer, ${what}`,
        unit: 'kB',
        ours: [perViewer(0, kind)],
        baseline: { name: bareName, values: [perViewer(1, kind)] },
      });
    return [...figures, memoryFigure('media workers', 'workers'), memoryFigure('Node.js', 'node')];
  },
};
