import { describe, expect, it } from 'vitest';
import type { NewMember } from './Member.ts';
import { PeerLoads } from '../router/PeerLoads.ts';
import type { RoomRouter } from '../router/RoomRouter.ts';
import type { RouterFactory } from './RouterFactory.ts';
import { RoomRouters } from './RoomRouters.ts';

/** Two hundred viewers fill a router. */
const perRouter = 200;
const limits = { consumersPerWorker: 2 * perRouter };

/** A stream whose routers only count, and count how often their load is read. */
async function open() {
  const looks = { count: 0 };
  const openRouter = () => {
    let load = 0;
    const loads = new PeerLoads(limits.consumersPerWorker, (by) => (load += by));
    const router = {
      nodeId: null,
      isClosed: false,
      get load() {
        looks.count++;
        return { consumers: load, busy: 0 };
      },
      addPeer: ({ key, ...peer }: { key: string; multiparty: boolean; isViewer?: boolean }) => {
        loads.add(key, peer);
        return Promise.resolve({ sendTransport: null, recvTransport: {} });
      },
      removePeer: ({ key }: { key: string }) => Promise.resolve(loads.remove(key)),
    };
    return Promise.resolve(router as unknown as RoomRouter);
  };
  const factory = {
    limits,
    open: openRouter,
    openElsewhere: openRouter,
    workersWithout: () => [],
    hasNodesWithRoom: () => true,
  };
  const room = new RoomRouters('room', factory as unknown as RouterFactory, {
    onEvent: () => undefined,
    onIdle: () => undefined,
    isRelaying: () => false,
  });
  await room.openFirst();
  let count = 0;
  const enter = () => {
    const id = String(count++);
    const viewer = {
      peerId: id,
      identity: id,
      tag: {},
      rtpCapabilities: {},
      multiparty: true,
      isViewer: true,
    };
    return room.enter(viewer as unknown as NewMember, 2);
  };
  return { room, looks, enter };
}

describe('a stream on many routers', () => {
  it('looks at all of them only when another one may be needed', async () => {
    const { room, looks, enter } = await open();
    const looksFor = async (viewers: number) => {
      looks.count = 0;
      for (let index = 0; index < viewers; index++) await enter();
      return looks.count;
    };
    const first = await looksFor(10 * perRouter);
    await looksFor(80 * perRouter);
    expect(await looksFor(10 * perRouter)).toBeLessThan(2 * first);
    expect(room.all).toHaveLength(100);
  });

  it('gives a place that a viewer left to the next one', async () => {
    const { room, enter } = await open();
    const viewers = [];
    for (let index = 0; index < 3 * perRouter; index++) viewers.push(await enter());
    const [left] = viewers.slice(perRouter);
    if (!left) throw new Error('there are viewers');
    room.leave(left);
    expect((await enter()).router).toBe(left.router);
    expect(room.all).toHaveLength(3);
  });
});
