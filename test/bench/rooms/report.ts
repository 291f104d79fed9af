import { machineLoad } from '../machineLoad.ts';
import type { Flow } from './flow.ts';
import type { ProcessCpu } from './processes.ts';

/** CPU time in milliseconds. */
export type Cpu = Record<ProcessCpu['kind'], number>;

export interface Sample extends Flow {
  cpu: Cpu;
}

export interface Reported {
  /** Describes the load. */
  title: string;
  /** The kind of receiver, in the singular, for example `consumer`. */
  receiver: string;
  receivers: number;
  /** The maximum share of the CPU time that signalling may use. */
  signalling: number;
}

/** The maximum ratio of Parley's CPU time to the baseline's. */
const ratioGoal = 1.05;

/**
 * Prints the CPU time of both servers.
 * @returns whether the goals are met
 */
export function report(what: Reported, [ours, bare]: [Sample[], Sample[]]): boolean {
  console.log(`\n${what.title} (${ours.length} rounds of ${(ours[0]?.seconds ?? 0).toFixed(0)} s)`);
  if (ours.length === 0) {
    console.log('  no round counted: too much other load on the machine   NOT MET');
    return false;
  }
  const [all, baseline] = [together(ours), together(bare)];
  console.log(`  parley     ${line(what, all)}`);
  console.log(`  bare       ${line(what, baseline)}`);
  const ratio = perMegabit(all) / perMegabit(baseline);
  const ratios = ours.map((sample, index) => perMegabit(sample) / perMegabit(bare[index] as Sample));
  const workers = all.cpu.workers / all.megabits / (baseline.cpu.workers / baseline.megabits);
  const share = all.cpu.node / total(all);
  const isMet = { ratio: ratio <= ratioGoal, signalling: share <= what.signalling };
  const verdict = (met: boolean) => (met ? 'met' : 'NOT MET');
  console.log(
    `  ratio      ${ratio.toFixed(3)}, ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)} ` +
      `(goal: at most ${ratioGoal}) ${verdict(isMet.ratio)}; workers only ${workers.toFixed(3)}`,
  );
  console.log(
    `  signalling ${(share * 100).toFixed(1)}% of the total (goal: at most ${what.signalling * 100}%) ${verdict(isMet.signalling)}; ` +
      machineLoad(),
  );
  return isMet.ratio && isMet.signalling;
}

function together(samples: Sample[]): Sample {
  const sum = (of: (sample: Sample) => number) => samples.reduce((all, sample) => all + of(sample), 0);
  return {
    seconds: sum(({ seconds }) => seconds),
    expected: sum(({ expected }) => expected),
    arrived: sum(({ arrived }) => arrived),
    megabits: sum(({ megabits }) => megabits),
    probes: sum(({ probes }) => probes),
    cpu: {
      node: sum(({ cpu }) => cpu.node),
      workers: sum(({ cpu }) => cpu.workers),
      postgres: sum(({ cpu }) => cpu.postgres),
    },
  };
}

/** The CPU time that counts. That of PostgreSQL is only reported, because PostgreSQL does not handle packets. */
const total = ({ cpu }: Sample) => cpu.node + cpu.workers;
const perMegabit = (sample: Sample) => total(sample) / sample.megabits;

function line({ receiver, receivers }: Reported, sample: Sample): string {
  const { seconds, megabits, expected, arrived, probes, cpu } = sample;
  const perSecond = (ms: number) => (ms / seconds).toFixed(1);
  const share = (packets: number) => ((packets * 100) / expected).toFixed(1);
  return (
    `${(megabits / seconds).toFixed(1).padStart(6)} Mbit/s   ${perMegabit(sample).toFixed(3)} ms/Mbit, ` +
    `${((total(sample) * 1_000) / seconds / receivers).toFixed(0)} µs/s per ${receiver}   ` +
    `ms/s: worker ${perSecond(cpu.workers)}, node ${perSecond(cpu.node)}, PostgreSQL ${perSecond(cpu.postgres)}   ` +
    `arrived ${share(arrived)}%, probes ${share(probes)}%`
  );
}
