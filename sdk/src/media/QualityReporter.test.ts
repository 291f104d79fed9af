import { afterEach, expect, it, vi } from 'vitest';
import type { Connection } from '../connection/Connection.ts';
import type { ConnectionState } from '../types.ts';
import type { MediaSession } from './MediaSession.ts';
import { QualityReporter } from './QualityReporter.ts';

afterEach(() => vi.useRealTimers());

it('does not connect again for a report whose statistics come after suspend()', async () => {
  vi.useFakeTimers();
  let state: ConnectionState = 'connected';
  const welcome = vi.fn(() => Promise.resolve({ takesReports: true }));
  const connection = {
    get state() {
      return state;
    },
    welcome,
    request: () => Promise.resolve({}),
  } as unknown as Connection;
  let isSuspended = false;
  const session = {
    room: { callId: 'call_1' },
    presented: new Map(),
    stats: () => {
      if (isSuspended) state = 'idle';
      return Promise.resolve({ sending: [], receiving: [], path: null });
    },
  } as unknown as MediaSession;
  const reporter = new QualityReporter(connection, () => [session]);
  reporter.joined(session, performance.now());
  await vi.advanceTimersByTimeAsync(10_000);
  expect(welcome).toHaveBeenCalledTimes(1);
  isSuspended = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(welcome).toHaveBeenCalledTimes(1);
  reporter.close();
});
