import { expect, it, onTestFinished, vi } from 'vitest';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { RequestWindow, SubnetWindows } from './RequestWindow.ts';
import { subnetsOf } from '../../platform/limits/subnets.ts';

const errorOf = (run: () => void): ParleyError | null => {
  try {
    run();
  } catch (error) {
    if (error instanceof ParleyError) return error;
    throw error;
  }
  return null;
};

it('allows requests up to the limit, and rejects more with the time to wait', () => {
  const window = new RequestWindow(2);
  expect(errorOf(() => window.count(1_000))).toBeNull();
  expect(errorOf(() => window.count(2_000))).toBeNull();
  expect(errorOf(() => window.count(2_500))).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfter: 9 });
  expect(errorOf(() => window.count(10_999))).toMatchObject({ retryAfter: 1 });
  expect(errorOf(() => window.count(11_000))).toBeNull();
});

it('lasts ten seconds even if the clock is set back', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const window = new RequestWindow(1);
  expect(errorOf(() => window.count())).toBeNull();
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(errorOf(() => window.count())).toMatchObject({ retryAfter: 10 });
  vi.advanceTimersByTime(10_000);
  expect(errorOf(() => window.count())).toBeNull();
});

it('treats ten times the limit as a flood until the window ends', () => {
  const window = new RequestWindow(2);
  for (let requests = 0; requests < 20; requests++) errorOf(() => window.count(0));
  expect(window.isFlooded).toBe(false);
  errorOf(() => window.count(0));
  expect(window.isFlooded).toBe(true);
  errorOf(() => window.count(10_000));
  expect(window.isFlooded).toBe(false);
});

it('counts all connections of a network together until ten seconds after the last one has closed', () => {
  const windows = new SubnetWindows(2);
  const [first, second] = [subnetsOf('2001:db8::1'), subnetsOf('2001:db8::2')];
  const [ofFirst, ofSecond] = [windows.acquire(first, 0), windows.acquire(second, 0)];
  const count = (of: RequestWindow[], now = 0) => errorOf(() => of.forEach((window) => window.count(now)));
  expect([count(ofFirst), count(ofSecond)]).toEqual([null, null]);
  expect(count(ofFirst)?.message).toContain('from your network');
  // Another /64 of the same /48 has its own window.
  expect(count(windows.acquire(subnetsOf('2001:db8:0:1::1'), 0))).toBeNull();
  windows.release(first, 0);
  expect(count(windows.acquire(first, 0))).not.toBeNull();
  windows.release(first, 0);
  windows.release(second, 1_000);
  const back = windows.acquire(first, 9_000);
  expect(back[0]).toBe(ofFirst[0]);
  expect(count(back, 9_000)).not.toBeNull();
  expect(count(back, 10_000)).toBeNull();
  windows.release(first, 10_000);
  // The window is not kept for longer than it counts.
  expect(windows.acquire(first, 20_000)[0]).not.toBe(ofFirst[0]);
});
