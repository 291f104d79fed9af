import { ServerProcess } from '../harness/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { bareSeats } from './rooms/bareSeat.ts';
import { Crowd, type Flow } from './rooms/Crowd.ts';
import { parleySeats } from './rooms/parleySeat.ts';
import { cpuByProcess, type ProcessCpu } from './rooms/processes.ts';
import type { Seat } from './rooms/Seat.ts';
import { report, type Cpu, type Sample } from './rooms/report.ts';
import { shapes, type Shape } from './rooms/shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
/** Only rooms of so many people. */
const wanted = process.env.BENCH_PEOPLE?.split(',').map(Number);
const settleMs = 2_000;
const measureMs = 10_000;
const warmUpMs = 5_000;
const warmUps = 4;
/** Rounds that do not count are repeated so often, in all. */
const repeats = 2;
/** Of the packets, at least this share arrives, or the round says nothing. */
const leastArrived = 0.99;
interface Side {
  name: string;
  pid: number;
  seats: (shape: Shape) => Promise<Seat[]>;
}

/**
 * Rooms of synthetic people on Parley, and the same on bare mediasoup, in turns: each forwards the same packets. What the servers'
 * processes use is read while packets flow, by the megabit and by the consumer.
 */
export async function benchConference(): Promise<boolean> {
  const server = await ServerProcess.start({
    LOG_LEVEL: 'info',
    RATE_LIMIT_REALTIME: '100000',
    RATE_LIMIT_JOINS: '100000',
  });
  const bare = await startBareServer();
  const sides: [Side, Side] = [
    { name: 'parley', pid: server.pid, seats: (shape) => parleySeats(server.url, shape) },
    { name: 'bare', pid: bare.pid, seats: (shape) => bareSeats(bare.url, shape) },
  ];
  try {
    let isMet = true;
    for (const shape of shapes.filter(({ people }) => !wanted || wanted.includes(people)))
      isMet = (await benchShape(shape, sides)) && isMet;
    return isMet;
  } finally {
    bare.stop();
    await server.dispose();
  }
}

async function benchShape(shape: Shape, sides: [Side, Side]): Promise<boolean> {
  const crowds: Crowd[] = [];
  try {
    for (const { seats } of sides) crowds.push(await Crowd.gather(shape, seats));
    for (const crowd of crowds) await warmUp(crowd);
    const samples: [Sample[], Sample[]] = [[], []];
    for (let round = 0, repeated = 0; round < rounds + repeated; round++) {
      const pair: Sample[] = [];
      // Each comes first as often as second.
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        pair[index] = await measure(crowds[index] as Crowd, sides[index] as Side);
        process.stdout.write(`\r  rooms of ${shape.people}: round ${round + 1}, ${sides[index]?.name}   `);
      }
      if (pair.every(hasArrived)) {
        for (const [index, sample] of pair.entries()) samples[index]?.push(sample);
        continue;
      }
      const shares = pair.map(({ arrived, expected }) => `${((100 * arrived) / expected).toFixed(1)}%`);
      console.log(`\n  does not count: ${shares.join(' and ')} of the packets arrived`);
      if (repeated < repeats) repeated++;
    }
    process.stdout.write('\n');
    return report(shape, samples);
  } finally {
    for (const crowd of crowds) crowd.close();
  }
}

/** mediasoup begins with small pictures, and finds out within seconds that the lines carry large ones. */
async function warmUp(crowd: Crowd): Promise<void> {
  for (let attempt = 0; attempt < warmUps; attempt++)
    if (hasArrived(await crowd.flow(0, warmUpMs, () => () => undefined))) return;
}

const hasArrived = ({ arrived, expected }: Flow) => Math.abs(arrived / expected - 1) <= 1 - leastArrived;

async function measure(crowd: Crowd, { pid }: Side): Promise<Sample> {
  let cpu: Cpu = { node: 0, workers: 0, postgres: 0 };
  const flow = await crowd.flow(settleMs, measureMs, () => {
    const before = cpuByProcess(pid);
    return () => (cpu = used(before, cpuByProcess(pid)));
  });
  return { ...flow, cpu };
}

/** Of those that were there all the time: PostgreSQL has helpers that come and go. */
function used(before: ProcessCpu[], after: ProcessCpu[]): Cpu {
  const cpu: Cpu = { node: 0, workers: 0, postgres: 0 };
  for (const { pid, kind, ms } of after) {
    const earlier = before.find((each) => each.pid === pid);
    if (earlier) cpu[kind] += ms - earlier.ms;
  }
  return cpu;
}
