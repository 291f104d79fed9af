import { afterEach, expect, it, vi } from 'vitest';
import { GeneratorWatch } from './GeneratorWatch.ts';

afterEach(() => vi.restoreAllMocks());

it('counts time in which several schedules were late once', () => {
  let now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const watch = new GeneratorWatch();
  now += 100;
  for (const byMs of [95, 60, 30]) watch.behind(byMs, 100);
  now += 900;
  expect(watch.report.lateShare).toBe(0.1);
  watch.close();
});
