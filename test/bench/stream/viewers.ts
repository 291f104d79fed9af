import { startBareServer } from '../bareServer.ts';
import { inTurns, type Side } from '../rooms/inTurns.ts';
import { report } from '../rooms/report.ts';
import type { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { BenchViewers } from './BenchViewers.ts';
import { bareStream, parleyStream } from './participants.ts';
import { chosenShapes, describe } from './shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const timing = { rounds, settleMs: 1_000, measureMs: 5_000 };
/** The maximum share of the CPU time that signalling may use. */
const signallingGoal = 0.1;

/**
 * Measures the servers' CPU time per viewer and compares it with that of bare mediasoup. Nothing is decoded.
 * @returns whether the goals are met
 */
export async function benchViewers(server: ServerProcess): Promise<boolean> {
  const bare = await startBareServer();
  const viewerGroups: BenchViewers[] = [];
  const open = async (
    name: string,
    pid: number,
    participants: ReturnType<typeof parleyStream>,
  ): Promise<Side> => {
    const packets = await BenchViewers.open(await participants);
    viewerGroups.push(packets);
    return { name, pid, packets };
  };
  try {
    const sides = [
      await open('parley', server.pid, parleyStream(server.url)),
      await open('bare', bare.pid, bareStream(bare.url)),
    ] as const;
    let isMet = true;
    for (const shape of chosenShapes(process.env)) {
      const startedAt = performance.now();
      for (const viewers of viewerGroups) await viewers.growTo(shape);
      const seconds = (performance.now() - startedAt) / 1_000;
      process.stdout.write(`\n  ${shape.viewers} viewers joined after ${seconds.toFixed(0)} s\n`);
      const samples = await inTurns(`${shape.viewers} viewers`, sides, timing);
      const what = { title: describe(shape), receiver: 'viewer', receivers: shape.viewers };
      isMet = report({ ...what, signalling: signallingGoal }, samples) && isMet;
    }
    return isMet;
  } finally {
    for (const viewers of viewerGroups) viewers.close();
    bare.stop();
  }
}
