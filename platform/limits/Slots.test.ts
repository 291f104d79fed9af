import { expect, it } from 'vitest';
import { Slots } from './Slots.ts';

it('takes turns between wallets, however many requests each of them queues', async () => {
  const slots = new Slots(1, 10);
  const done: string[] = [];
  const all = ['first', 'greedy', 'greedy', 'greedy', 'friend', 'friend', 'other'].map((wallet) =>
    slots.run(() => Promise.resolve(void done.push(wallet)), wallet),
  );
  await Promise.all(all);
  expect(done).toEqual(['first', 'greedy', 'friend', 'other', 'greedy', 'friend', 'greedy']);
});

it('bounds the queue of one wallet and the whole queue', async () => {
  const slots = new Slots(1, 3, 2);
  let end = () => {};
  const running = slots.run(() => new Promise<void>((resolve) => (end = resolve)), 'a');
  const idle = () => Promise.resolve();
  const waiting = [slots.run(idle, 'a'), slots.run(idle, 'a')];
  const isBusy = { code: 'SERVICE_UNAVAILABLE', retryAfter: 5 };
  await expect(slots.run(idle, 'a')).rejects.toMatchObject(isBusy);
  waiting.push(slots.run(idle, 'b'));
  await expect(slots.run(idle, 'c')).rejects.toMatchObject(isBusy);
  end();
  await Promise.all([running, ...waiting]);
  await slots.run(idle, 'c');
});
