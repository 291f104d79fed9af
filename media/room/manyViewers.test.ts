import { afterEach, expect, it, vi } from 'vitest';
import { pino } from 'pino';
import { newPeer } from '../../test/harness/media/mediaFixtures.ts';
import { SimulatedRouter, type SimulatedWorker } from '../../test/bench/simulation/SimulatedRouter.ts';
import type { EmitRouterEvent } from '../router/routerOperations.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type { PooledWorker } from '../router/WorkerPool.ts';
import { Member, type Publication, type Subscription } from './Member.ts';
import { MediaRoom } from './MediaRoom.ts';
import { maxNear } from './pipeTree.ts';
import { RoomMembers } from './RoomMembers.ts';
import { RouterFactory } from './RouterFactory.ts';
import { Subscriptions } from './Subscriptions.ts';

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

/**
 * Viewers on routers behind leaving ones get the video over another path, and leave one by one before their former subscriptions end.
 * @returns how often it was looked at which branch a subscription comes through
 */
async function looksOf(viewersPerRouter: number): Promise<number> {
  const options = { emit: () => undefined, consumersPerWorker: 10_000, busy: () => 0 };
  const open = (): Promise<RoomRouter> => SimulatedRouter.create(newWorker(), options);
  const [home, ...routers] = await Promise.all(Array.from({ length: 1 + 2 * maxNear }, open));
  if (!home) throw new Error('no router');
  const [relays, behind] = [routers.slice(0, maxNear), routers.slice(maxNear)];
  let areLeaving = false;
  const offered: Subscription[] = [];
  const subscriptions = new Subscriptions(
    {
      onOffer: (subscription) => void offered.push(subscription),
      isWanted: () => true,
      onClosed: () => undefined,
      onWatched: () => undefined,
      isLeaving: (router) => areLeaving && relays.includes(router),
      onReleased: () => undefined,
    },
    log,
  );
  const publisher = await Member.enter(newPeer('host', 'host', true), home);
  const publication: Publication = publisher.send('video', {
    source: 'camera',
    rtpParameters: { codecs: [] },
    paused: false,
  });
  for (const router of routers)
    for (let index = 0; index < viewersPerRouter; index++)
      await subscriptions.receive(await Member.enter(viewer(`${router.id} ${index}`), router), publication);
  const all = [...subscriptions.of(publication)];
  const former = all.filter(({ to }) => behind.includes(to.router));
  areLeaving = true;
  subscriptions.renew();
  await vi.waitFor(() => expect(offered).toHaveLength(former.length));
  let looks = 0;
  for (const subscription of all) {
    const { branch } = subscription;
    Object.defineProperty(subscription, 'branch', { get: () => (looks++, branch) });
  }
  for (const { to } of former) subscriptions.leave(to);
  return looks;
}

it('looks only at the subscriptions that end while others are being replaced', async () => {
  const [few, many] = [await looksOf(5), await looksOf(20)];
  expect(few).toBeGreaterThan(0);
  expect(many).toBe(4 * few);
});
