import { expect, it } from 'vitest';
import { mediaMetrics, registry, systemMetrics } from './metrics.ts';

it('leave out gauges that nobody reports, or that cannot be read', async () => {
  const end = systemMetrics.diskFree.watch(() => Promise.reject(new Error('away')));
  const text = await registry.metrics();
  end();
  expect(text).toContain('# TYPE parley_redis_connected gauge');
  expect(text).not.toMatch(/^parley_(redis_connected|disk_free_bytes|cluster_links)/m);
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
