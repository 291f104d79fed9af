import { flow, hasArrived, type FlowTiming, type Packets } from './flow.ts';
import { cpuByProcess, type ProcessCpu } from './processes.ts';
import type { Cpu, Sample } from './report.ts';

/** A server, and the people on it. */
export interface Side {
  name: string;
  pid: number;
  packets: Packets;
}

interface Timing extends Omit<FlowTiming, 'settleAtMostMs'> {
  rounds: number;
  /** Which side begins. */
  first?: 0 | 1;
}

/**
 * mediasoup begins with small pictures, and finds out within seconds that the lines carry large ones; and what runs often is compiled
 * within the first seconds, and the heap a start has filled is tidied once within the first minute (half a second of processor time), which
 * is no part of what anybody costs.
 */
const [warmUpMs, warmUpAtMostMs, settleAtMostMs] = [20_000, 40_000, 12_000];
/** Rounds that do not count are repeated so often, in all. */
const repeats = 2;

/** What each of two servers uses while the same packets flow, one after the other, round by round. @returns samples of both */
export async function inTurns(
  what: string,
  sides: readonly [Side, Side],
  { rounds, settleMs, measureMs, first = 0 }: Timing,
): Promise<[Sample[], Sample[]]> {
  for (const { packets } of sides) await warmUp(packets);
  const samples: [Sample[], Sample[]] = [[], []];
  for (let round = 0, repeated = 0; round < rounds + repeated; round++) {
    const pair: Sample[] = [];
    // Each comes first as often as second.
    for (const index of (round + first) % 2 === 0 ? [0, 1] : [1, 0]) {
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

async function warmUp(packets: Packets): Promise<void> {
  const timing = { settleMs: warmUpMs, settleAtMostMs: warmUpAtMostMs, measureMs: 0 };
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

/** Of those that were there all the time: PostgreSQL has helpers that come and go. */
function used(before: ProcessCpu[], after: ProcessCpu[]): Cpu {
  const cpu: Cpu = { node: 0, workers: 0, postgres: 0 };
  for (const { pid, kind, ms } of after) {
    const earlier = before.find((each) => each.pid === pid);
    if (earlier) cpu[kind] += ms - earlier.ms;
  }
  return cpu;
}
