import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PushOutcome } from './PushSender.ts';
import { SlowDevices } from './SlowDevices.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const failed: PushOutcome = { state: 'failed', why: 'TimeoutError' };
const sent: PushOutcome = { state: 'sent' };
const later = (afterSeconds: number | null) => ({ state: 'later', afterSeconds });

/** An attempt that takes 8 s and then ends like this. */
const slowly = (outcome: PushOutcome) => () => {
  vi.advanceTimersByTime(8_000);
  return Promise.resolve(outcome);
};
const quickly = (outcome: PushOutcome) => () => Promise.resolve(outcome);

it('waits longer after each attempt without an answer, and no more after an answer', async () => {
  const devices = new SlowDevices(2);
  const never = () => Promise.reject(new Error('not its turn'));
  for (const seconds of [2, 4, 8]) {
    expect(await devices.attempt('one', slowly(failed))).toEqual(failed);
    expect(await devices.attempt('one', never)).toMatchObject(later(seconds));
    expect(await devices.attempt('other', quickly(sent))).toEqual(sent);
    vi.advanceTimersByTime(seconds * 1_000);
  }
  expect(await devices.attempt('one', quickly(failed))).toEqual(failed);
  expect(await devices.attempt('one', quickly(sent))).toEqual(sent);
});

it('counts attempts that began together once, and does not wait after a late answer', async () => {
  const devices = new SlowDevices(2);
  let end = (_: PushOutcome) => {};
  const answer = new Promise<PushOutcome>((resolve) => (end = resolve));
  const attempts = [1, 2, 3].map(() => devices.attempt('one', () => answer));
  vi.advanceTimersByTime(8_000);
  end(failed);
  await Promise.all(attempts);
  expect(await devices.attempt('one', quickly(sent))).toMatchObject(later(2));
  vi.advanceTimersByTime(2_000);
  expect(await devices.attempt('one', slowly(sent))).toEqual(sent);
  expect(await devices.attempt('one', quickly(sent))).toEqual(sent);
});

it('makes one attempt at a time to a slow device, and few to all of them', async () => {
  const devices = new SlowDevices(2);
  for (const id of ['one', 'two', 'three']) await devices.attempt(id, slowly(failed));
  vi.advanceTimersByTime(60_000);
  let end = (_: PushOutcome) => {};
  const answer = new Promise<PushOutcome>((resolve) => (end = resolve));
  const attempts = ['one', 'two'].map((id) => devices.attempt(id, () => answer));
  expect(await devices.attempt('one', quickly(sent))).toMatchObject(later(null));
  expect(await devices.attempt('three', quickly(sent))).toMatchObject(later(null));
  expect(await devices.attempt('new', quickly(sent))).toEqual(sent);
  end(sent);
  await Promise.all(attempts);
  expect(await devices.attempt('three', quickly(sent))).toEqual(sent);
});

it('remembers a limited number of devices', async () => {
  const devices = new SlowDevices(2);
  for (let index = 0; index <= 10_000; index++) await devices.attempt(String(index), slowly(failed));
  expect(await devices.attempt('0', quickly(sent))).toEqual(sent);
});
