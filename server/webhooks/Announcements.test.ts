import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Announcements } from './Announcements.ts';

let startedAt: number;
let woken: [name: string, ms: number][];
let announcements: Announcements;

beforeEach(() => {
  vi.useFakeTimers();
  startedAt = performance.now();
  woken = [];
  announcements = new Announcements((keys) => {
    for (const { key } of keys) woken.push([key, performance.now() - startedAt]);
  });
});
afterEach(() => void vi.useRealTimers());

const announce = (...names: string[]) => announcements.add(names.map((key) => ({ key, owner: 'owner' })));

it('wakes a key soon, and once more for a transaction that took longer', () => {
  announce('one', 'two', 'one');
  vi.advanceTimersByTime(2_000);
  expect(woken).toEqual([
    ['one', 20],
    ['two', 20],
    ['one', 520],
    ['two', 520],
  ]);
});

it('leaves a transaction the time to commit that begins shortly before others are woken', () => {
  announce('one');
  vi.advanceTimersByTime(15);
  announce('two');
  vi.advanceTimersByTime(2_000);
  expect(woken).toEqual([
    ['one', 20],
    ['two', 40],
    ['one', 520],
    ['two', 540],
  ]);
});

it('wakes a key for its first and for its latest transaction, however many there are', () => {
  for (let n = 0; n < 20; n++) {
    announce('one');
    vi.advanceTimersByTime(5);
  }
  expect(woken.map(([, ms]) => ms)).toEqual([20, 40, 60, 80, 100]);
  vi.advanceTimersByTime(30);
  expect(woken.at(-1)).toEqual(['one', 120]);
});
