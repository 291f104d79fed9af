import { afterEach, expect, it, vi } from 'vitest';
import { newId, timeOfId } from './ids.ts';

afterEach(() => vi.useRealTimers());

/** The id that is created at this time. */
function idAt(time: string): string {
  vi.useFakeTimers({ now: new Date(time) });
  return newId('msg');
}

it('has a prefix and 24 letters and digits, whatever the clock says', () => {
  for (const time of ['1970-01-01', '2026-11-28', '2081-01-01', '2300-01-01'])
    expect(idAt(time)).toMatch(/^msg_[0-9A-Za-z]{24}$/);
});

it('sorts by the time it was created at', () => {
  const times = [
    '2026-11-28T12:00:00.000Z',
    '2026-11-28T12:00:00.001Z',
    '2026-11-28T13:00:00Z',
    '2027-01-01',
  ];
  const ids = times.map(idAt);
  expect(ids.toSorted()).toEqual(ids);
});

it('differs from others of the same millisecond', () => {
  vi.useFakeTimers();
  expect(new Set(Array.from({ length: 10_000 }, () => newId('msg'))).size).toBe(10_000);
});

it('has its time', () => {
  const time = Date.UTC(2026, 10, 29);
  expect(timeOfId(newId('msg', time))).toBe(time);
});
