import { afterEach, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { SimulatedRouter, type SimulatedWorker } from '../../test/bench/simulation/SimulatedRouter.ts';
import type { EmitRouterEvent } from '../router/routerOperations.ts';
import type { PooledWorker } from '../router/WorkerPool.ts';
import { MediaRoom } from './MediaRoom.ts';
import { RoomMembers } from './RoomMembers.ts';
import { RouterFactory } from './RouterFactory.ts';

/* What a room does for one of its viewers takes the same number of steps however many viewers there are. The routers only count. */

afterEach(() => vi.restoreAllMocks());

const log = pino({ level: 'silent' });

const newWorker = (): SimulatedWorker => {
  return { index: 0, rooms: 0, load: 0, routers: new Set(), worker: { pid: 0 }, weight: 0 };
};

const viewer = (name: string) => ({ ...newPeer(name, name, true), isViewer: true });

it('looks only at the viewer that is disconnected', async () => {
  let emit: EmitRouterEvent = () => undefined;
  const keys: string[] = [];
  const factory = new RouterFactory({
    pool: { living: [], leastLoaded: () => Promise.resolve(newWorker() as unknown as PooledWorker) },
    meter: { busyOf: () => 0 },
    pipeListen: { ip: '127.0.0.1', ports: { min: 0, max: 0 } },
    limits: { consumersPerWorker: 10_000 },
    log,
    createRouter: async (worker, options) => {
      ({ emit } = options);
      const router = await SimulatedRouter.create(worker, options);
      const addPeer = router.addPeer.bind(router);
      router.addPeer = (peer) => (keys.push(peer.key), addPeer(peer));
      return router;
    },
  });
  const disconnected: string[] = [];
  const room = await MediaRoom.create('room', {
    factory,
    packager: () => ({
      playlist: () => Promise.reject(new Error()),
      file: () => Promise.reject(new Error()),
    }),
    emit: (name, payload) => {
      if (name === 'disconnected' && 'peer' in payload) disconnected.push(payload.peer.peerId);
    },
    log,
  });
  const names = Array.from({ length: 50 }, (_, index) => `viewer ${index}`);
  for (const name of names) await room.join(viewer(name));
  const listed = vi.spyOn(RoomMembers.prototype, 'all', 'get');
  for (const key of keys) emit({ name: 'disconnected', key });
  expect(disconnected).toEqual(names);
  expect(listed).not.toHaveBeenCalled();
  room.close();
});
