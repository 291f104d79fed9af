import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import { PackagedStreams } from './PackagedStreams.ts';

it('fetches new playlists after the clock of the machine was set back', async () => {
  const packaged = vi.fn(() => Promise.resolve({}));
  const streams = new PackagedStreams({ room: () => ({ packaged }) } as unknown as MediaCluster);
  onTestFinished(() => streams.close());
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await streams.playlist('str');
  vi.setSystemTime(Date.now() - 3_600_000);
  // Longer than a playlist is reused.
  await delay(300);
  await streams.playlist('str');
  expect(packaged.mock.calls).toHaveLength(2);
});
