import { ofRounds } from '../report/Figure.ts';
import type { Bench } from '../report/Report.ts';
import type { BareOptions } from '../bareServer.ts';
import { cpuPerMegabit } from '../rooms/cpuFigures.ts';
import { inTurns } from '../rooms/inTurns.ts';
import { bareSide, parleySide, type StreamSide } from './openSides.ts';

const shape = {
  viewers: Number(process.env.BENCH_VIEWERS ?? 100),
  kbit: Number(process.env.BENCH_KBIT ?? 700),
};
const timing = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 4),
  settleMs: 1_000,
  measureMs: 4_000,
};
/** Another mediasoup-worker, for example the one that mediasoup's package downloads. */
const otherWorker = process.env.BENCH_WORKER;

/** The baseline with one option changed at a time, and once unchanged, which shows how much two equal servers differ. */
const variants: Record<string, BareOptions> = {
  'a second time': {},
  'with a port per viewer': { portPerTransport: true },
  'with the kernel’s socket buffers': { smallBuffers: true },
  'without an estimate of the bandwidth': { noEstimate: true },
  ...(otherWorker === undefined ? {} : { 'with another worker program': { workerBin: otherWorker } }),
};

/** Shows what each option of the baseline is worth, because a comparison with other options gives other ratios. */
export const bareOptions: Bench = {
  title: 'What the options of the baseline are worth',
  about:
    `${shape.viewers} viewers of a stream of ${shape.kbit} kbit/s. The baseline of all media figures runs the same worker program, with one port per worker and with large socket buffers, as Parley does. It estimates the bandwidth of each viewer, as mediasoup’s demo does; Parley does so only if the video has layers to choose from. ` +
    'Here, one of these is changed at a time: the CPU time of each variant stands beside that of the baseline as it is used. The first line is Parley itself, to be compared with the variant without an estimate, too, and the second is the same baseline in another process, which shows how much two equal servers differ.',
  async run() {
    const sides: StreamSide[] = [];
    try {
      sides.push(await bareSide(), await parleySide());
      for (const [name, options] of Object.entries(variants)) sides.push(await bareSide(options, name));
      for (const { packets } of sides) await packets.growTo(shape);
      const [baseline = [], ...others] = await inTurns(`${shape.viewers} viewers`, sides, timing);
      return others.map((samples, index) =>
        ofRounds({
          what: `CPU time of ${index === 0 ? 'Parley' : `bare mediasoup ${sides[index + 1]?.name}`}`,
          unit: 'ms/Mbit',
          ours: samples.map(cpuPerMegabit),
          baseline: { name: 'bare mediasoup', values: baseline.map(cpuPerMegabit) },
        }),
      );
    } finally {
      for (const side of sides) await side.close();
    }
  },
};
