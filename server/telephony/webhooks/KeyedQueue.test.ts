import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Lanes, type Lane } from './KeyedQueue.ts';

const most = { lane: 2, owner: 3, all: 5 };

/** Lanes over queues in memory, whose work ends when it is told to. */
function set(queues: Record<string, number>) {
  const running: { lane: string; end: () => void }[] = [];
  const done: string[] = [];
  const lanes = new Lanes<string>({
    most,
    async claim({ key }, hands) {
      await turn();
      const left = queues[key] ?? 0;
      const taken = Math.min(left, hands);
      queues[key] = left - taken;
      return Array.from({ length: taken }, () => key);
    },
    run: (lane) =>
      new Promise((resolve) => {
        const work = {
          lane,
          end: () => {
            running.splice(running.indexOf(work), 1);
            done.push(lane);
            resolve();
          },
        };
        running.push(work);
      }),
    log: pino({ level: 'silent' }),
  });
  const settle = async () => {
    for (let turns = 0; turns < 20; turns++) await turn();
  };
  return { lanes, running, done, settle, names: () => running.map(({ lane }) => lane).sort() };
}

const lane = (key: string): Lane => ({ key, owner: key.charAt(0) });

it('gives no lane, no owner and nobody together more than their share, and does all the work', async () => {
  const { lanes, running, done, settle, names } = set({ a1: 4, a2: 4, b1: 4, c1: 1 });
  for (const key of ['a1', 'a2', 'b1', 'c1']) lanes.wake(lane(key));
  await settle();
  // a has three in two lanes; c waits, since there are five.
  expect(names()).toEqual(['a1', 'a1', 'a2', 'b1', 'b1']);
  running.find((work) => work.lane === 'b1')?.end();
  await settle();
  expect(names()).toHaveLength(5);
  while (running.length > 0) {
    expect(running.length).toBeLessThanOrEqual(most.all);
    expect(names().filter((name) => name.startsWith('a')).length).toBeLessThanOrEqual(most.owner);
    for (const key of ['a1', 'a2', 'b1'])
      expect(names().filter((name) => name === key).length).toBeLessThanOrEqual(most.lane);
    running[0]?.end();
    await settle();
  }
  expect(done.sort().join(' ')).toBe('a1 a1 a1 a1 a2 a2 a2 a2 b1 b1 b1 b1 c1');
});

it('begins nothing more once it closes, and waits for what runs', async () => {
  const { lanes, running, done, settle } = set({ a1: 5 });
  lanes.wake(lane('a1'));
  await settle();
  let isClosed = false;
  const closing = lanes.close().then(() => (isClosed = true));
  lanes.wake(lane('a1'));
  running[0]?.end();
  await settle();
  expect([isClosed, running.length]).toEqual([false, 1]);
  running[0]?.end();
  await closing;
  expect(done).toEqual(['a1', 'a1']);
});
