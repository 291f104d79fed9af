import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MissedEvents } from './MissedEvents.ts';
import type { ParleyServer } from './RequestContext.ts';

let told: string[];
let isBack: boolean;
let missed: MissedEvents;

/** Records the events for all devices, and the sessions whose connections are closed. */
const io = {
  emit: (event: string) => told.push(event),
  in: (session: string) => ({ emit: () => true, disconnectSockets: () => told.push(session) }),
} as unknown as ParleyServer;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  isBack = true;
  missed = new MissedEvents(() => isBack);
});
afterEach(() => {
  missed.close();
  vi.useRealTimers();
});

const session = (id: string) => expect.stringContaining(id) as string;

it('tells other nodes again about sessions that ended while Redis seemed to be there', () => {
  missed.ended('delivered');
  vi.advanceTimersByTime(31_000);
  missed.ended('lost');
  vi.advanceTimersByTime(10_000);
  isBack = false;
  missed.lost(() => io);
  missed.ended('away');
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
  isBack = true;
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['session:missed', session('lost'), session('away')]);
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(3);
});

it('tells them once more if that is lost, too', () => {
  missed.ended('lost');
  for (const _time of [1, 2]) {
    missed.lost(() => io);
    vi.advanceTimersByTime(20_000);
  }
  expect(told).toEqual(['session:missed', session('lost'), 'session:missed', session('lost')]);
  vi.advanceTimersByTime(31_000);
  missed.lost(() => io);
  vi.advanceTimersByTime(1_000);
  expect(told.slice(4)).toEqual(['session:missed']);
});

it('asks devices to reload less and less often while Redis answers, but loses events', () => {
  for (let second = 0; second < 300; second++) {
    missed.lost(() => io);
    vi.advanceTimersByTime(1_000);
  }
  expect(told.length).toBeLessThan(20);
  vi.advanceTimersByTime(120_000);
  told = [];
  missed.lost(() => io);
  vi.advanceTimersByTime(1_000);
  expect(told).toEqual(['session:missed']);
});

it('remembers the latest ones of very many', () => {
  isBack = false;
  for (let number = 0; number <= 10_000; number++) missed.ended(`session${number}-`);
  missed.lost(() => io);
  isBack = true;
  vi.advanceTimersByTime(1_000);
  expect(told).toHaveLength(10_001);
  expect([told[1], told.at(-1)]).toEqual([session('session1-'), session('session10000-')]);
});
