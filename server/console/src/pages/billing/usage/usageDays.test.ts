import { expect, it } from 'vitest';
import { byBucket, byDay, lastDays } from './usageDays.ts';

const row = (bucket: string, requests: number, credits = 0) => ({
  bucket,
  service: 'sms',
  requests,
  units: 0,
  credits,
});

it('counts the days back from today in UTC', () => {
  const now = new Date('2026-03-01T23:30:00-02:00');
  expect(lastDays(1, now)).toEqual({ from: '2026-03-02', to: '2026-03-02' });
  expect(lastDays(30, now)).toEqual({ from: '2026-02-01', to: '2026-03-02' });
});

it('lists every day of the period with the sum of all services', () => {
  const days = byDay({
    from: new Date('2026-02-27T00:00:00Z'),
    to: new Date('2026-03-02T00:00:00Z'),
    data: [row('2026-02-28', 1, 5), row('2026-02-28', 2, -1)],
  });
  expect(days.map(({ requests, credits }) => [requests, credits])).toEqual([
    [0, 0],
    [3, 4],
    [0, 0],
  ]);
});

it('sums up services and keys and sorts them by the chosen measure', () => {
  const data = [row('account', 9), row('sms', 1, 4), row('sms', 1, 4)];
  expect(byBucket(data, 'credits').map(({ bucket }) => bucket)).toEqual(['sms', 'account']);
  expect(byBucket(data, 'requests')).toEqual([
    { bucket: 'account', requests: 9, credits: 0 },
    { bucket: 'sms', requests: 2, credits: 8 },
  ]);
});
