import { describe, expect, it } from 'vitest';
import { placePeer } from './routerPlacement.ts';

const limits = { consumersPerWorker: 100 };
const router = (name: string, consumers: number, busy = 0) => ({ router: name, load: { consumers, busy } });
const worker = (name: string, consumers: number, busy = 0) => ({ worker: name, load: { consumers, busy } });

describe('placePeer', () => {
  it.each([
    [
      'keeps a router with capacity',
      [router('a', 50)],
      [worker('b', 0)],
      10,
      { kind: 'router', router: 'a' },
    ],
    [
      'chooses the least loaded router',
      [router('a', 50), router('b', 20)],
      [],
      10,
      { kind: 'router', router: 'b' },
    ],
    [
      'chooses another worker when the router is full',
      [router('a', 95)],
      [worker('b', 0)],
      10,
      { kind: 'worker', worker: 'b' },
    ],
    [
      'chooses another worker when the router’s core is busy',
      [router('a', 5, 0.9)],
      [worker('b', 0)],
      10,
      { kind: 'worker', worker: 'b' },
    ],
    [
      'chooses the idlest worker',
      [router('a', 95)],
      [worker('b', 60), worker('c', 10)],
      10,
      { kind: 'worker', worker: 'c' },
    ],
    [
      'chooses another node when this one is full',
      [router('a', 95)],
      [worker('b', 95)],
      10,
      { kind: 'node' },
    ],
    [
      'chooses an idle worker even for more consumers than its limit',
      [router('a', 95)],
      [worker('b', 0)],
      600,
      { kind: 'worker', worker: 'b' },
    ],
  ])('%s', (_what, routers, workers, expected, placement) => {
    const options = { routers, workers: () => workers, hasOtherNodes: () => true };
    expect(placePeer(options, expected, limits)).toEqual(placement);
  });

  it('does not look at workers and nodes while a router has capacity', () => {
    const unneeded = () => {
      throw new Error('not needed');
    };
    const options = { routers: [router('a', 50)], workers: unneeded, hasOtherNodes: unneeded };
    expect(placePeer(options, 10, limits)).toEqual({ kind: 'router', router: 'a' });
  });

  it('chooses the least loaded router when all are full', () => {
    const candidates = {
      routers: [router('a', 300), router('b', 200)],
      workers: () => [worker('c', 250)],
      hasOtherNodes: () => false,
    };
    expect(placePeer(candidates, 10, limits)).toEqual({ kind: 'router', router: 'b' });
  });
});
