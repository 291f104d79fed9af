import { inDigits } from '../../ui/numbers.ts';
import { sampleMs, type Period, type Sample } from './joinParts.ts';

interface Line {
  /** Empty for the only line of a chart. */
  name: '' | 'Sent' | 'Received';
  valueOf: (sample: Sample) => number | null;
}

/** What a chart shows. */
export interface Measure {
  title: string;
  unit: string;
  /** The end of the axis. @default it depends on the largest value */
  end?: number;
  lines: Line[];
}

export const measures: Measure[] = [
  {
    title: 'Round trip',
    unit: 'ms',
    lines: [{ name: '', valueOf: ({ roundTripMs }) => roundTripMs }],
  },
  {
    title: 'Lost packets',
    unit: '%',
    lines: [
      { name: 'Sent', valueOf: ({ sending }) => sending?.lossPercent ?? null },
      { name: 'Received', valueOf: ({ receiving }) => receiving?.lossPercent ?? null },
    ],
  },
  {
    title: 'Bitrate',
    unit: 'kbit/s',
    lines: [
      { name: 'Sent', valueOf: ({ sending }) => sending?.kbps ?? null },
      { name: 'Received', valueOf: ({ receiving }) => receiving?.kbps ?? null },
    ],
  },
  {
    title: 'Frozen video, per ten seconds',
    unit: 's',
    lines: [
      {
        name: 'Received',
        valueOf: ({ receiving }) =>
          receiving === null || receiving.frozenMs === null ? null : receiving.frozenMs / 1_000,
      },
    ],
  },
  {
    title: 'Score, 0 to 10',
    unit: '',
    end: 10,
    lines: [
      { name: 'Sent', valueOf: ({ scores }) => scores.sending },
      { name: 'Received', valueOf: ({ scores }) => scores.receiving },
    ],
  },
  {
    title: 'Video height',
    unit: 'pixels',
    lines: [
      { name: 'Sent', valueOf: ({ sending }) => sending?.height ?? null },
      { name: 'Received', valueOf: ({ receiving }) => receiving?.height ?? null },
    ],
  },
];

/** For example "30 to 620 ms"; "not measured" without a value. */
export function rangeOf(values: (number | null)[], unit: string): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return 'not measured';
  const [least, most] = known.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
  const range = least === most ? inDigits(least) : `${inDigits(least)} to ${inDigits(most)}`;
  return `${range} ${unit}`.trim();
}

/** The size of a chart's coordinates. */
export const plot = { width: 1_000, height: 100 };

/** Where a time is in a chart, from 0 to 1. */
export const placeOf = (at: Date, { from, to }: Period): number =>
  Math.min(1, Math.max(0, (at.getTime() - from.getTime()) / Math.max(1, to.getTime() - from.getTime())));

/** The path of an SVG element that draws a line through the values. It is interrupted where reports or values are missing. */
export function pathOf(line: Line, samples: Sample[], period: Period, end: number): string {
  const x = (ms: number) => Math.round(placeOf(new Date(ms), period) * plot.width * 10) / 10;
  const y = (value: number) => Math.round((1 - Math.min(1, value / end)) * plot.height * 10) / 10;
  let path = '';
  let last = -Infinity;
  for (const sample of samples) {
    const value = line.valueOf(sample);
    if (value === null) {
      last = -Infinity;
      continue;
    }
    const at = sample.at.getTime();
    // The first report also covers the time before it.
    if (at - last > sampleMs * 2.5) path += `M${x(at - sampleMs)} ${y(value)}`;
    path += `L${x(at)} ${y(value)}`;
    last = at;
  }
  return path;
}
