import type { Memory } from './Gauge.ts';
import type { Result } from './run.ts';

const headings = [
  'entry point',
  'inputs',
  'slowest',
  'RSS',
  'heap',
  'outside heap',
  'workers',
  'faults',
  'answers by kind',
];

/** Formats the results as a table with one line per entry point. Memory is in MB and times are in milliseconds. */
export function tableOf(results: Result[]): string {
  const rows = [headings, ...results.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf({ name, inputs, kinds, slowestMs, memory, violations }: Result): string[] {
  const grown = (part: keyof Memory) =>
    memory ? `${memory.before[part].toFixed(0)} → ${memory.after[part].toFixed(0)} MB` : '';
  const byCount = [...kinds].sort(([, one], [, other]) => other - one);
  return [
    ...[name, String(inputs), `${slowestMs.toFixed(0)} ms`],
    ...(['rss', 'heap', 'outside', 'workers'] as const).map(grown),
    ...[String(violations.length), byCount.map(([kind, count]) => `${kind} ${count}`).join(', ')],
  ];
}
