import { cpus, loadavg } from 'node:os';
import { ServerProcess } from '../harness/ServerProcess.ts';
import { startBareServer } from './bareServer.ts';
import { cpuTimeOf } from './cpuTime.ts';
import { percentile } from './figures.ts';
import { bareSeats } from './rooms/bareSeat.ts';
import { Crowd, type Flow } from './rooms/Crowd.ts';
import { parleySeats } from './rooms/parleySeat.ts';
import { processesOf } from './rooms/processes.ts';
import type { Seat } from './rooms/Seat.ts';
import { audioKbit, consumersOf, heardOf, layers, shapes, type Shape } from './rooms/shapes.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
/** Only rooms of so many people. */
const wanted = process.env.BENCH_PEOPLE?.split(',').map(Number);
const settleMs = 3_000;
const measureMs = 10_000;
const warmUps = 5;
/** Of the packets, at least this share arrives, or the round says nothing. */
const leastArrived = 0.99;
/** Ours may cost at most so many times bare, and signalling at most this share of it. */
const goals = { ratio: 1.05, signalling: 0.1 };

interface Side {
  name: string;
  pid: number;
  seats: (shape: Shape) => Promise<Seat[]>;
}

/** Milliseconds of processor time. */
interface Cpu {
  node: number;
  workers: number;
  postgres: number;
}

interface Sample extends Flow {
  cpu: Cpu;
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
    const samples: Sample[][] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const pair: Sample[] = [];
      for (const [index, crowd] of crowds.entries()) {
        pair.push(await measure(crowd, sides[index] as Side));
        process.stdout.write(
          `\r  rooms of ${shape.people}: round ${round + 1} of ${rounds}, ${sides[index]?.name}   `,
        );
      }
      if (!pair.every(hasArrived)) {
        const shares = pair.map(({ arrived, expected }) => `${((100 * arrived) / expected).toFixed(1)}%`);
        console.log(`\n  does not count: ${shares.join(' and ')} of the packets arrived`);
        continue;
      }
      for (const [index, sample] of pair.entries()) samples[index]?.push(sample);
    }
    process.stdout.write('\n');
    return report(shape, samples[0] ?? [], samples[1] ?? []);
  } finally {
    for (const crowd of crowds) crowd.close();
  }
}

/** mediasoup begins with small pictures, and finds out within seconds that the lines carry large ones. */
async function warmUp(crowd: Crowd): Promise<void> {
  for (let attempt = 0; attempt < warmUps; attempt++)
    if (hasArrived(await crowd.flow(settleMs, settleMs, () => () => undefined))) return;
}

const hasArrived = ({ arrived, expected }: Flow) => Math.abs(arrived / expected - 1) <= 1 - leastArrived;

async function measure(crowd: Crowd, { pid }: Side): Promise<Sample> {
  let cpu: Cpu = { node: 0, workers: 0, postgres: 0 };
  const flow = await crowd.flow(settleMs, measureMs, () => {
    const { node, workers, others } = processesOf(pid);
    const read = (): Cpu => ({
      node: cpuTimeOf([node]),
      workers: cpuTimeOf(workers),
      postgres: cpuTimeOf(others),
    });
    const before = read();
    return () => {
      const after = read();
      cpu = {
        node: after.node - before.node,
        workers: after.workers - before.workers,
        postgres: after.postgres - before.postgres,
      };
    };
  });
  return { ...flow, cpu };
}

function report(shape: Shape, ours: Sample[], bare: Sample[]): boolean {
  const { people, rooms, layer } = shape;
  const sound = heardOf(shape) < people ? `the sound of ${heardOf(shape)}` : `everybody's sound`;
  console.log(
    `\n${rooms > 1 ? `${rooms} rooms` : 'A room'} of ${people}: pictures of ${layers[layer]?.kbit} kbit/s, ${sound} of ${audioKbit} kbit/s, ` +
      `${consumersOf(shape)} consumers (medians of ${ours.length} rounds of ${measureMs / 1_000} s)`,
  );
  console.log(`  parley     ${line(shape, ours)}`);
  console.log(`  bare       ${line(shape, bare)}`);
  const ratios = ours.map((sample, index) => perMegabit(sample) / perMegabit(bare[index] as Sample));
  const ratio = percentile(ratios, 0.5);
  const shares = ours.map(({ cpu }) => cpu.node / total(cpu));
  const share = percentile(shares, 0.5);
  const isMet = [ratio <= goals.ratio, share <= goals.signalling];
  const verdict = (met: boolean | undefined) => (met ? 'met' : 'NOT MET');
  console.log(
    `  ratio      ${ratio.toFixed(3)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} (goal: at most ${goals.ratio}) ${verdict(isMet[0])}`,
  );
  console.log(
    `  signalling ${(share * 100).toFixed(1)}% of the total (goal: at most ${goals.signalling * 100}%) ${verdict(isMet[1])}; ` +
      `load of the machine ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`,
  );
  return isMet.every(Boolean);
}

const total = ({ node, workers }: Cpu) => node + workers;
const perMegabit = ({ cpu, megabits }: Sample) => total(cpu) / megabits;

function line(shape: Shape, samples: Sample[]): string {
  const median = (of: (sample: Sample) => number, digits: number, width: number) =>
    percentile(samples.map(of), 0.5).toFixed(digits).padStart(width);
  const perSecond = (of: (cpu: Cpu) => number) => median(({ cpu, seconds }) => of(cpu) / seconds, 1, 6);
  return (
    `${median(({ megabits, seconds }) => megabits / seconds, 1, 6)} Mbit/s   ` +
    `CPU ${median(perMegabit, 3, 7)} ms/Mbit, ` +
    `${median(({ cpu, seconds }) => (total(cpu) * 1_000) / seconds / consumersOf(shape), 1, 6)} µs/s per consumer   ` +
    `worker ${perSecond(({ workers }) => workers)}, node ${perSecond(({ node }) => node)}, PostgreSQL ${perSecond(({ postgres }) => postgres)} ms/s   ` +
    `arrived ${median(({ arrived, expected }) => (arrived * 100) / expected, 2, 6)}%, filler ${median(({ probes, expected }) => (probes * 100) / expected, 1, 3)}%`
  );
}
