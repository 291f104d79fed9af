import { expect, it } from 'vitest';
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

it('treats ten times the limit as a flood until the window ends', () => {
  const window = new RequestWindow(2);
  for (let requests = 0; requests < 20; requests++) errorOf(() => window.count(0));
  expect(window.isFlooded).toBe(false);
  errorOf(() => window.count(0));
  expect(window.isFlooded).toBe(true);
  errorOf(() => window.count(10_000));
  expect(window.isFlooded).toBe(false);
});

it('counts all connections of a network together while one of them is open', () => {
  const windows = new SubnetWindows(2);
  const [first, second] = [subnetsOf('2001:db8::1'), subnetsOf('2001:db8::2')];
  const [ofFirst, ofSecond] = [windows.acquire(first), windows.acquire(second)];
  const count = (of: RequestWindow[]) => errorOf(() => of.forEach((window) => window.count(0)));
  expect([count(ofFirst), count(ofSecond)]).toEqual([null, null]);
  expect(count(ofFirst)?.message).toContain('from your network');
  // Another /64 of the same /48 has its own window.
  expect(count(windows.acquire(subnetsOf('2001:db8:0:1::1')))).toBeNull();
  windows.release(first);
  expect(count(windows.acquire(first))).not.toBeNull();
  windows.release(first);
  windows.release(second);
  expect(count(windows.acquire(first))).toBeNull();
});
