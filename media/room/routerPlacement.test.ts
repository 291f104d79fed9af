import { describe, expect, it } from 'vitest';
import { placePeer } from './routerPlacement.ts';

const limits = { consumersPerWorker: 100 };
const router = (name: string, consumers: number, busy = 0) => ({ router: name, load: { consumers, busy } });
const worker = (name: string, consumers: number, busy = 0) => ({ worker: name, load: { consumers, busy } });

describe('the next peer of a room', () => {
  it.each([
    ['stays where there is room', [router('a', 50)], [worker('b', 0)], 10, { kind: 'router', router: 'a' }],
    [
      'goes to the least loaded router',
      [router('a', 50), router('b', 20)],
      [],
      10,
      { kind: 'router', router: 'b' },
    ],
    [
      'goes to another worker when it is full',
      [router('a', 95)],
      [worker('b', 0)],
      10,
      { kind: 'worker', worker: 'b' },
    ],
    [
      'goes on when the core is busy',
      [router('a', 5, 0.9)],
      [worker('b', 0)],
      10,
      { kind: 'worker', worker: 'b' },
    ],
    [
      'goes to the idlest worker',
      [router('a', 95)],
      [worker('b', 60), worker('c', 10)],
      10,
      { kind: 'worker', worker: 'c' },
    ],
    [
      'goes to another node when this one is full',
      [router('a', 95)],
      [worker('b', 95)],
      10,
      { kind: 'node' },
    ],
    [
      'stays on a router with capacity for many small videos',
      [router('a', 400)],
      [worker('b', 0)],
      60,
      { kind: 'router', router: 'a' },
    ],
    [
      'goes to an idle worker though it has more than that',
      [router('a', 95)],
      [worker('b', 0)],
      600,
      { kind: 'worker', worker: 'b' },
    ],
  ])('%s', (_what, routers, workers, expected, place) => {
    expect(placePeer({ routers, workers, hasOtherNodes: true }, expected, limits)).toEqual(place);
  });

  it('goes to the least loaded router when all are full', () => {
    const places = {
      routers: [router('a', 300), router('b', 200)],
      workers: [worker('c', 250)],
      hasOtherNodes: false,
    };
    expect(placePeer(places, 10, limits)).toEqual({ kind: 'router', router: 'b' });
  });
});
