import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { KeyedQueue, type QueueKey } from './KeyedQueue.ts';

const limit = { key: 2, owner: 3, ownerMost: 4, all: 6 };

/** A keyed queue whose work is stored in memory. The test itself ends each piece of work. */
function set(queues: Record<string, number>, isSlow: (key: QueueKey) => boolean = () => false) {
  const running: { key: string; end: () => void }[] = [];
  const done: string[] = [];
  const queue = new KeyedQueue<string>({
    limit,
    isSlow,
    async claim({ key }, slots) {
      await turn();
      const left = queues[key] ?? 0;
      const taken = Math.min(left, slots);
      queues[key] = left - taken;
      return Array.from({ length: taken }, () => key);
    },
    run: (key) =>
      new Promise((resolve) => {
        const work = {
          key,
          end: () => {
            running.splice(running.indexOf(work), 1);
            done.push(key);
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
  return { queue, running, done, settle, names: () => running.map(({ key }) => key).sort() };
}

const queueKey = (key: string): QueueKey => ({ key, owner: key.charAt(0) });

it('respects the bounds per key, per owner and in total, and does all the work', async () => {
  const { queue, running, done, settle, names } = set({ a1: 4, a2: 4, b1: 4, c1: 1 });
  for (const key of ['a1', 'a2', 'b1', 'c1']) queue.wake(queueKey(key));
  await settle();
  // Owner a holds three slots, for two of its keys.
  expect(names()).toEqual(['a1', 'a1', 'a2', 'b1', 'b1', 'c1']);
  running.find((work) => work.key === 'b1')?.end();
  await settle();
  expect(names()).toHaveLength(6);
  while (running.length > 0) {
    expect(running.length).toBeLessThanOrEqual(limit.all);
    expect(names().filter((name) => name.startsWith('a')).length).toBeLessThanOrEqual(limit.owner);
    for (const key of ['a1', 'a2', 'b1'])
      expect(names().filter((name) => name === key).length).toBeLessThanOrEqual(limit.key);
    running[0]?.end();
    await settle();
  }
  expect(done.sort().join(' ')).toBe('a1 a1 a1 a1 a2 a2 a2 a2 b1 b1 b1 b1 c1');
});

it('gives each key of an owner one slot, even if others hold all slots of the owner', async () => {
  const { queue, running, settle, names } = set({ a1: 4, a2: 4, a3: 4, a4: 1 });
  for (const key of ['a1', 'a2', 'a3', 'a4']) queue.wake(queueKey(key));
  await settle();
  // a1 and a2 hold the three slots of their owner, a3 gets one more, and a4 none, because the owner now has four.
  expect(names()).toEqual(['a1', 'a1', 'a2', 'a3']);
  running.find((work) => work.key === 'a3')?.end();
  await settle();
  expect(names()).toHaveLength(4);
});

it('gives slow keys one slot each, and no more than half of all slots', async () => {
  const isSlow = ({ owner }: QueueKey) => owner !== 'z';
  const { queue, running, settle, names } = set({ a1: 4, b1: 4, c1: 4, d1: 4, z1: 4 }, isSlow);
  for (const key of ['a1', 'b1', 'c1', 'd1', 'z1']) queue.wake(queueKey(key));
  await settle();
  expect(names()).toEqual(['a1', 'b1', 'c1', 'z1', 'z1']);
  running.find((work) => work.key === 'a1')?.end();
  await settle();
  // Half of all slots are still taken.
  expect(names()).toEqual(['b1', 'c1', 'z1', 'z1']);
});

it('starts no work after close, and waits for running work', async () => {
  const { queue, running, done, settle } = set({ a1: 5 });
  queue.wake(queueKey('a1'));
  await settle();
  let isClosed = false;
  const closing = queue.close().then(() => (isClosed = true));
  queue.wake(queueKey('a1'));
  running[0]?.end();
  await settle();
  expect([isClosed, running.length]).toEqual([false, 1]);
  running[0]?.end();
  await closing;
  expect(done).toEqual(['a1', 'a1']);
});
