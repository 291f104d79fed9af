import { pino } from 'pino';
import { expect, it } from 'vitest';
import { SimulatedRouter, type SimulatedWorker } from '../../test/bench/simulation/SimulatedRouter.ts';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { until } from '../../test/harness/until.ts';
import type { EmitRouterEvent } from '../router/routerOperations.ts';
import { unreachable } from '../router/unreachable.ts';
import type { PooledWorker } from '../router/WorkerPool.ts';
import { MediaRoom } from './MediaRoom.ts';
import { RouterFactory } from './RouterFactory.ts';

const log = pino({ level: 'silent' });
const worker: SimulatedWorker = {
  index: 0,
  rooms: 0,
  load: 0,
  routers: new Set(),
  worker: { pid: 0 },
  weight: 0,
};

it('a room tells its members that their router died, even if no worker starts for a while', async () => {
  let emit: EmitRouterEvent = () => undefined;
  let isThere = true;
  const leastLoaded = () =>
    isThere ? Promise.resolve(worker as unknown as PooledWorker) : Promise.reject(unreachable());
  const factory = new RouterFactory({
    pool: { living: [], leastLoaded },
    meter: { busyOf: () => 0 },
    pipeListen: { ip: '127.0.0.1', ports: { min: 0, max: 0 } },
    limits: { consumersPerWorker: 10_000 },
    log,
    createRouter: (on, options) => {
      ({ emit } = options);
      return SimulatedRouter.create(on, options);
    },
  });
  const packages = () => Promise.reject(new Error('not here'));
  const lost: string[] = [];
  const room = await MediaRoom.create('room', {
    factory,
    packager: () => ({ playlist: packages, file: packages }),
    emit: (name, payload) => {
      if (name === 'roomRestarted' && 'lost' in payload)
        lost.push(...payload.lost.map(({ peerId }) => peerId));
    },
    log,
  });
  await room.join(newPeer('ann', 'ann', true));
  isThere = false;
  emit({ name: 'died' });
  await until(() => lost.length > 0, 'she is told');
  expect(lost).toEqual(['ann']);
  isThere = true;
  await room.join(newPeer('ann', 'ann', true));
  room.close();
});
