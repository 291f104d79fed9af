import { afterEach, expect, it, vi } from 'vitest';
import { mediaMetrics, registry, systemMetrics } from './metrics.ts';

afterEach(() => vi.useRealTimers());

it('leave out gauges that nobody reports, or that cannot be read', async () => {
  const end = systemMetrics.diskFree.watch(() => Promise.reject(new Error('away')));
  const text = await registry.metrics();
  end();
  expect(text).toContain('# TYPE parley_redis_connected gauge');
  expect(text).not.toMatch(/^parley_(redis_connected|disk_free_bytes|cluster_links)/m);
});

it('do not wait for a gauge that is not read in time, because the database hangs', async () => {
  vi.useFakeTimers();
  const end = systemMetrics.diskFree.watch(() => new Promise(() => {}));
  const reading = registry.metrics();
  await vi.advanceTimersByTimeAsync(5_000);
  const text = await reading;
  end();
  expect(text).toMatch(/^parley_media_worker_deaths_total \d/m);
  expect(text).not.toMatch(/^parley_disk_free_bytes/m);
});

it('add up the values of all parts with the same labels, however many requests read them at once', async () => {
  const ends = [2, 3].map((value) =>
    mediaMetrics.rooms.watch(() => Promise.resolve([{ labels: { kind: 'call' }, value }])),
  );
  const texts = await Promise.all([registry.metrics(), registry.metrics()]);
  for (const end of ends) end();
  for (const text of texts) expect(text).toContain('parley_media_rooms{kind="call"} 5');
  expect(await registry.metrics()).not.toContain('parley_media_rooms{');
});
