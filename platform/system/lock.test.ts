import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withLock } from './lock.mjs';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  vi.stubEnv('PARLEY_CACHE_DIR', cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

test('runs work of the same name one at a time, even after a failure', async () => {
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await Promise.resolve();
    events.push(`${name} ends`);
    if (name === 'a') throw new Error('a failed');
  };
  const results = await Promise.allSettled([withLock('x', work('a')), withLock('x', work('b'))]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test.each([
  ['', -60_000],
  [', also if the clock was set back since', 3_600_000],
])('takes over the lock of a set-up that was killed%s', async (_since, offsetMs) => {
  const lock = join(cache, 'x.lock');
  mkdirSync(lock);
  const beat = new Date(Date.now() + offsetMs);
  utimesSync(lock, beat, beat);
  expect(await withLock('x', () => Promise.resolve('done'))).toBe('done');
});
