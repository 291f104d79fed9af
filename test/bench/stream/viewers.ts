import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../report/Report.ts';
import { cpuFigures } from '../rooms/cpuFigures.ts';
import { inTurns } from '../rooms/inTurns.ts';
import type { Sample } from '../rooms/Sample.ts';
import { bareSide, parleySide } from './openSides.ts';
import { chosenShapes, describe } from './shapes.ts';

const servers = Number(process.env.BENCH_SERVERS ?? 2);
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const timing = { rounds, warmUpMs: 90_000, settleMs: 1_000, measureMs: 5_000 };
/** After this time, V8 has compiled the code that both sides use, and has collected the garbage of their start. */
const warmUpMs = 60_000;
const goals = { ratio: 1, signalling: 5 };

/** Measures the servers' CPU time per viewer, and compares it with that of bare mediasoup. Nothing is decoded. */
export const viewers: Bench = {
  title: 'Viewers of a stream',
  about:
    'A stream in 720p with one layer, as OBS sends it, and viewers that receive it with real ICE, DTLS and SRTP and send the reports of a browser. They report each packet as received when it was sent, so that the jitter of a busy machine does not look like low bandwidth, and ask for no packet again. ' +
    'The figure is the CPU time of the server (Node.js and media workers) per megabit that the viewers received; the bitrate is what two cores carry with the receivers on them. ' +
    'The baseline is a minimal mediasoup server with the same worker program and the same transport options. Its Socket.IO pings every 25 s, as by default, and Parley’s every 5 s. Both run all the time and are measured in turns, from the third minute on. After half of the rounds both are started again, because a process’s memory layout changes its CPU time by up to a tenth for its whole life. A round in which less than 99 % of the packets arrived on either side is repeated, at most two times, or left out.',
  profile:
    'Signalling hardly depends on the viewers: with 20 of them, Node.js takes 4 to 6 ms a second on an Intel Xeon (by /proc, over 20 s at a time). Three of these are its main thread, which wakes up four times a second; it took 6 and woke up 17 times while each periodic task and the ping of each connection had a time of its own. A server that nobody uses takes nearly as much, for heartbeats, scheduled jobs and other periodic tasks. In the first minute V8 still compiles code and collects the garbage of the start, so both servers run for a minute before they are measured. Without that minute, the share of signalling with 20 viewers was 8 %. The media workers run the same program as the baseline, with the same transport options. They take less because Parley does not estimate the bandwidth of these viewers: all get the same packets, since the video has one layer. So the worker keeps no list of what it sent, gets no report of each arrival, and sends no probes. With an estimate, as in an earlier report, the ratio of the workers was between 0.98 and 1.03. A server like the baseline can leave out the estimate as well: the next section has that variant, which costs what Parley costs. mediasoup’s own demo estimates. Signalling takes as much as before, but its share has grown, because it is a share of less: with 20 viewers it is 0.05 ms of CPU time for a megabit. While a worker took 400 streams (MEDIA_WORKER_CONSUMERS), the ratio with 200 viewers was 1.09 instead of 1.02: the last viewers were on a second worker, which got every packet over a pipe and woke up for it; the baseline keeps all on one. A worker takes 500 now.',
  async run() {
    const shapes = chosenShapes(process.env);
    const samples = shapes.map((): Sample[][] => [[], []]);
    for (let server = 0; server < servers; server++) {
      const sides = [await parleySide(), await bareSide()];
      try {
        for (const [index, shape] of shapes.entries()) {
          for (const { packets } of sides) await packets.growTo(shape);
          if (index === 0) await delay(warmUpMs);
          const both = await inTurns(`${shape.viewers} viewers`, sides, timing);
          for (const [side, more] of both.entries()) samples[index]?.[side]?.push(...more);
        }
      } finally {
        for (const side of sides) await side.close();
      }
    }
    return shapes.flatMap((shape, index) => cpuFigures(describe(shape), samples[index] ?? [], goals));
  },
};
