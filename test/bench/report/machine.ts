import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type as systemName } from 'node:os';
import type { Machine } from './Report.ts';

export const machine = (): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${systemName()} ${release()}`,
  node: process.version,
});

/** The load average of the last minute. */
export const load = (): number => loadavg()[0] ?? NaN;

/** The short hash of the commit, with a plus if other files than the report have been changed since. */
export function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged =
    git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':!/docs/benchmarks.*') !== '';
  return git('rev-parse', '--short=8', 'HEAD') + (isChanged ? '+' : '');
}
