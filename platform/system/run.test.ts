import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from './run.mjs';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'parley-run-'));
  vi.stubEnv('PARLEY_CACHE_DIR', cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

test('reports a failure with the start and end of the output and the path of its log', async () => {
  const error = await run('sh', ['-c', 'seq 1 100; exit 3'], { timeoutMs: 10_000, log: 'seq' }).catch(String);
  expect(error).toMatch(/failed with exit code 3\n +1\n[^]*\n +100\n.*seq\.log/);
  expect(error).not.toContain(' 50\n');
});

test('kills a command that takes too long, together with its children', async () => {
  // run() waits until the output is closed, which the sleep in the background would keep open for a minute.
  const running = run('sh', ['-c', 'sleep 60 & wait'], { timeoutMs: 300 });
  await expect(running).rejects.toThrow('took longer than 0.3 s');
});

test('runs a command whose log cannot be written', async () => {
  mkdirSync(join(cache, 'logs', 'echo.log'), { recursive: true });
  expect(await run('sh', ['-c', 'echo done; sleep 0.1'], { timeoutMs: 10_000, log: 'echo' })).toEqual([
    'done',
  ]);
});

test('names a command that does not exist', async () => {
  await expect(run('no-such-command', [], { timeoutMs: 1_000 })).rejects.toThrow(
    /no-such-command.*cannot be started/,
  );
});
