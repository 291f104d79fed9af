import { expect, it } from 'vitest';
import { Slots } from './Slots.ts';

it('who has much waiting leaves every other turn to others', async () => {
  const slots = new Slots(1, 10);
  const done: string[] = [];
  const all = ['first', 'greedy', 'greedy', 'greedy', 'friend', 'friend', 'other'].map((whose) =>
    slots.run(() => Promise.resolve(void done.push(whose)), whose),
  );
  await Promise.all(all);
  expect(done).toEqual(['first', 'greedy', 'friend', 'other', 'greedy', 'friend', 'greedy']);
});

it('so many wait for one wallet, and so many in all', async () => {
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
