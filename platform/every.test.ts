import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { every } from './every.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Runs a task and records in which turn of the event loop each run was. */
function record(periodMs: number, turnOf: () => number): number[] {
  const turns: number[] = [];
  ends.push(every(periodMs, () => turns.push(turnOf())));
  return turns;
}

it('runs tasks that begin at different times together', async () => {
  let turn = 0;
  let isCounting = true;
  const count = () => void (turn++, isCounting && setImmediate(count));
  count();
  const often = record(50, () => turn);
  await delay(20);
  const seldom = record(100, () => turn);
  await expect.poll(() => seldom.length).toBeGreaterThanOrEqual(3);
  isCounting = false;
  expect(often.length).toBeGreaterThan(seldom.length);
  expect(often).toEqual(expect.arrayContaining(seldom));
});

it('runs a task no more after its end, and others still', async () => {
  let [ended, other] = [0, 0];
  const end = every(20, () => ended++);
  ends.push(every(20, () => other++));
  await expect.poll(() => ended).toBeGreaterThan(0);
  end();
  const [atEnd, otherAtEnd] = [ended, other];
  await expect.poll(() => other).toBeGreaterThan(otherAtEnd + 1);
  expect(ended).toBe(atEnd);
});

it('lets a task end itself and begin another', async () => {
  const order: string[] = [];
  const end = every(20, () => {
    end();
    order.push('first');
    ends.push(every(20, () => order.push('second')));
  });
  await expect.poll(() => order.length).toBeGreaterThanOrEqual(3);
  expect(order.slice(0, 3)).toEqual(['first', 'second', 'second']);
});
