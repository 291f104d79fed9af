import { median, percentile } from './percentile.ts';

export type Unit = 'ms' | 's' | 'µs' | '/s' | 'Mbit/s' | 'ms/Mbit' | 'kB' | 'MB' | '%' | '';

/** A value with the smallest and the largest one of all rounds. */
export interface Spread {
  value: number;
  from: number;
  to: number;
  /** The value of each round, if there were several. */
  rounds?: number[];
}

export interface Goal {
  /** What has to reach the goal: the value itself, or its ratio to the baseline. */
  of: 'value' | 'ratio';
  atMost?: number;
  atLeast?: number;
}

/** One line of the report. */
export interface Figure {
  /** What was measured. It is unique in its section, and finds the figure again in the last report. */
  what: string;
  unit: Unit;
  ours: Spread;
  /** The number of rounds or samples behind the value. */
  count: number;
  /** What else was measured in the same run, in turns with Parley. */
  baseline?: Spread & { name: string };
  /** Ours divided by the baseline, round by round. */
  ratio?: Spread;
  goal?: Goal;
  /** The value and the ratio in the report before this one. */
  before?: { value: number; ratio?: number };
}

interface Rounds {
  what: string;
  unit: Unit;
  /** One value for each round. */
  ours: readonly number[];
  /** The baseline's values in the same rounds. */
  baseline?: { name: string; values: readonly number[] };
  goal?: Goal;
}

/** A figure of which each round gives one value: the median, and the range. */
export function ofRounds({ what, unit, ours, baseline, goal }: Rounds): Figure {
  const figure: Figure = { what, unit, ours: spread(ours), count: ours.length };
  if (goal) figure.goal = goal;
  if (!baseline) return figure;
  const ratios = ours.map((value, round) => value / (baseline.values[round] ?? NaN));
  return {
    ...figure,
    baseline: { name: baseline.name, ...spread(baseline.values) },
    ratio: spread(ratios),
  };
}

interface Samples {
  what: string;
  unit: Unit;
  samples: readonly number[];
  /** The maximum of each percentile that has a goal. */
  goals?: Partial<Record<keyof typeof shares, number>>;
  baseline?: { name: string; samples: readonly number[] };
}

const shares = { p50: 0.5, p95: 0.95, p99: 0.99, max: 1 };

/** The figures of a distribution: p50, p95, p99 and the largest sample. */
export function ofSamples({ what, unit, samples, goals = {}, baseline }: Samples): Figure[] {
  return Object.entries(shares).map(([name, share]) => {
    const value = percentile(samples, share);
    const figure: Figure = {
      what: `${what}, ${name}`,
      unit,
      ours: { value, from: value, to: value },
      count: samples.length,
    };
    const atMost = goals[name as keyof typeof shares];
    if (atMost !== undefined) figure.goal = { of: 'value', atMost };
    if (!baseline) return figure;
    const theirs = percentile(baseline.samples, share);
    const ratio = value / theirs;
    return {
      ...figure,
      baseline: { name: baseline.name, value: theirs, from: theirs, to: theirs },
      ratio: { value: ratio, from: ratio, to: ratio },
    };
  });
}

/** A figure that is counted or read once. */
export function ofValue(what: string, unit: Unit, value: number, goal?: Omit<Goal, 'of'>): Figure {
  return {
    what,
    unit,
    ours: { value, from: value, to: value },
    count: 1,
    ...(goal && { goal: { of: 'value' as const, ...goal } }),
  };
}

/** @returns whether the goal is met; null without a goal. A value that could not be measured meets no goal. */
export function isMet({ goal, ours, ratio }: Figure): boolean | null {
  if (!goal) return null;
  const { value } = (goal.of === 'ratio' ? ratio : ours) ?? { value: NaN };
  // A figure of another process was JSON, in which Infinity and NaN are null.
  if (!Number.isFinite(value)) return false;
  return isWithin(goal, value);
}

/** @returns whether some rounds meet the goal and others do not, so that another run may give the other result */
export function isNearGoal({ goal, ours, ratio }: Figure): boolean {
  const spread = goal && (goal.of === 'ratio' ? ratio : ours);
  return spread !== undefined && isWithin(goal as Goal, spread.from) !== isWithin(goal as Goal, spread.to);
}

const isWithin = ({ atMost = Infinity, atLeast = -Infinity }: Goal, value: number): boolean =>
  value <= atMost && value >= atLeast;

/** Adds what the last report says about the same figures. */
export function compare(figures: Figure[], last: Figure[]): Figure[] {
  return figures.map((figure) => {
    const earlier = last.find(({ what }) => what === figure.what);
    if (!earlier) return figure;
    const { ours, ratio } = earlier;
    return { ...figure, before: { value: ours.value, ...(ratio && { ratio: ratio.value }) } };
  });
}

const spread = (values: readonly number[]): Spread => ({
  value: median(values),
  from: Math.min(...values),
  to: Math.max(...values),
  ...(values.length > 1 && { rounds: values.map((value) => Number(value.toPrecision(5))) }),
});
