import { ofRounds, type Figure } from '../report/Figure.ts';
import type { Sample } from './Sample.ts';

interface Goals {
  /** The maximum ratio of Parley's CPU time to the baseline's. */
  ratio: number;
  /** The maximum share of the CPU time that signalling may use, in percent. */
  signalling: number;
}

/** The name of the baseline of all figures about media. */
export const bareName = 'bare mediasoup';

/** The CPU time of the server, without PostgreSQL, in milliseconds per megabit that arrived. */
export const cpuPerMegabit = ({ cpu, megabits }: Sample): number => (cpu.node + cpu.workers) / megabits;

/**
 * The CPU time of Parley and the baseline while the same packets flowed. That of PostgreSQL is a figure of its own, because PostgreSQL does
 * not handle packets.
 * @param what describes the load
 */
export function cpuFigures(what: string, [ours = [], bare = []]: Sample[][], goals: Goals): Figure[] {
  const compare = (name: string, value: (sample: Sample) => number) => ({
    what: `${what}: ${name}`,
    ours: ours.map(value),
    baseline: { name: bareName, values: bare.map(value) },
  });
  return [
    ofRounds({
      ...compare('CPU time of the server', cpuPerMegabit),
      unit: 'ms/Mbit',
      goal: { of: 'ratio', atMost: goals.ratio },
    }),
    ofRounds({
      ...compare('of that, the media workers', ({ cpu, megabits }) => cpu.workers / megabits),
      unit: 'ms/Mbit',
    }),
    ofRounds({
      ...compare('share of signalling', ({ cpu }) => (100 * cpu.node) / (cpu.node + cpu.workers)),
      unit: '%',
      goal: { of: 'value', atMost: goals.signalling },
    }),
    ofRounds({
      what: `${what}: PostgreSQL, of one core`,
      unit: '%',
      ours: ours.map(({ cpu, seconds }) => cpu.postgres / 10 / seconds),
    }),
    ofRounds({ ...compare('traffic', ({ megabits, seconds }) => megabits / seconds), unit: 'Mbit/s' }),
    ofRounds({
      ...compare('packets arrived', ({ arrived, expected }) => (100 * arrived) / expected),
      unit: '%',
    }),
    ofRounds({
      ...compare('bandwidth probes', ({ probes, expected }) => (100 * probes) / expected),
      unit: '%',
    }),
  ];
}
