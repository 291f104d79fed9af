import { mediaMetrics } from '../../platform/metrics/metrics.ts';
import { readMemory } from '../../platform/system/readMemory.ts';
import type { MediaRoom } from '../room/MediaRoom.ts';
import type { LoadMeter } from '../router/LoadMeter.ts';
import type { WorkerPool } from '../router/WorkerPool.ts';

interface Watched {
  rooms: ReadonlyMap<string, Promise<MediaRoom>>;
  pool: WorkerPool;
  meter: LoadMeter;
}

/** The kinds of rooms, by the prefix of their ids. */
const kinds = new Map([
  ['call', 'call'],
  ['room', 'room'],
  ['str', 'stream'],
]);

/** Reports the rooms and workers of this node as metrics. @returns a function that ends this */
export function watchMedia({ rooms, pool, meter }: Watched): () => void {
  const perRoom = (count: (room: MediaRoom) => number) => async () => {
    const counts = new Map([...kinds.values()].map((kind) => [kind, 0]));
    for (const [id, opening] of rooms) {
      const room = await opening.catch(() => null);
      const kind = kinds.get(id.split('_', 1)[0] ?? '') ?? 'other';
      if (room) counts.set(kind, (counts.get(kind) ?? 0) + count(room));
    }
    return [...counts].map(([kind, value]) => ({ labels: { kind }, value }));
  };
  const workers = () =>
    pool.living.map(({ index, worker }) => ({ labels: { worker: index }, pid: worker.pid }));
  const unwatch = [
    mediaMetrics.rooms.watch(perRoom(() => 1)),
    mediaMetrics.participants.watch(perRoom(({ size }) => size.participants)),
    mediaMetrics.viewers.watch(perRoom(({ size }) => size.viewers)),
    mediaMetrics.load.watch(() => [{ value: meter.load }]),
    mediaMetrics.workerBusy.watch(() =>
      workers().map(({ labels, pid }) => ({ labels, value: meter.busyOf(pid) })),
    ),
    mediaMetrics.workerMemory.watch(() =>
      Promise.all(workers().map(async ({ labels, pid }) => ({ labels, value: await readMemory(pid) }))),
    ),
  ];
  return () => unwatch.forEach((end) => end());
}
