import { flow, hasArrived, type FlowTiming, type Packets } from './flow.ts';
import { cpuByProcess, type ProcessCpu } from './processes.ts';
import type { Cpu, Sample } from './Sample.ts';

/** A server and the peers that are connected to it. */
export interface Side {
  name: string;
  pid: number;
  packets: Packets;
}

interface Timing extends Omit<FlowTiming, 'settleAtMostMs'> {
  rounds: number;
  /** Which side goes first. @default 0 */
  first?: 0 | 1;
  /** How long packets flow before the first round. @default 45 seconds */
  warmUpMs?: number;
}

/**
 * The times for which packets flow before a measurement. mediasoup starts with small layers and takes some seconds to find enough bandwidth
 * for large ones, and V8 compiles hot code and collects the garbage of the start-up. None of this must count.
 */
const [defaultWarmUpMs, warmUpMoreMs, settleAtMostMs] = [45_000, 20_000, 12_000];
/** The maximum number of rounds that are repeated because they did not count. */
const repeats = 2;

/**
 * Measures servers in turns while the same packets flow.
 * @returns the samples of each
 */
export async function inTurns(
  what: string,
  sides: readonly Side[],
  { rounds, settleMs, measureMs, first = 0, warmUpMs = defaultWarmUpMs }: Timing,
): Promise<Sample[][]> {
  // Two servers at the same time. More of them could take more CPU time than the machine has.
  for (let next = 0; next < sides.length; next += 2)
    await Promise.all(sides.slice(next, next + 2).map(({ packets }) => warmUp(packets, warmUpMs)));
  const samples: Sample[][] = sides.map(() => []);
  for (let round = 0, repeated = 0; round < rounds + repeated; round++) {
    const pair: Sample[] = [];
    // The sides alternate in going first.
    const indexes = [...sides.keys()];
    for (const index of (round + first) % 2 === 0 ? indexes : indexes.toReversed()) {
      const side = sides[index] as Side;
      pair[index] = await measure(side, { settleMs, settleAtMostMs, measureMs });
      process.stdout.write(`\r  ${what}: round ${round + 1}, ${side.name}   `);
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
  return samples;
}

async function warmUp(packets: Packets, settleMs: number): Promise<void> {
  const timing = { settleMs, settleAtMostMs: settleMs + warmUpMoreMs, measureMs: 0 };
  await flow(packets, timing, () => () => undefined);
}

async function measure({ packets, pid }: Side, timing: FlowTiming): Promise<Sample> {
  let cpu: Cpu = { node: 0, workers: 0, postgres: 0 };
  const flown = await flow(packets, timing, () => {
    const before = cpuByProcess(pid);
    return () => (cpu = used(before, cpuByProcess(pid)));
  });
  return { ...flown, cpu };
}

/** The CPU time used between two samples by processes that are in both. Others are left out: PostgreSQL's helper processes come and go. */
function used(before: ProcessCpu[], after: ProcessCpu[]): Cpu {
  const cpu: Cpu = { node: 0, workers: 0, postgres: 0 };
  for (const { pid, kind, ms } of after) {
    const earlier = before.find((each) => each.pid === pid);
    if (earlier) cpu[kind] += ms - earlier.ms;
  }
  return cpu;
}
