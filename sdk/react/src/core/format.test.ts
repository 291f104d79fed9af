import { shortAddress } from '@parley/sdk';
import { expect, test } from 'vitest';
import { ago, clock, spokenDuration } from './format.ts';

test('shortens an address to its start and end', () => {
  expect(shortAddress('0x1234567890abcdef1234567890abcdef1234abcd')).toBe('0x1234…abcd');
  expect(shortAddress('eip155:137:0x1234567890abcdef1234567890abcdef1234abcd')).toBe(
    '0x1234…abcd (chain 137)',
  );
});

test.each([
  [0, '0:00'],
  [7.9, '0:07'],
  [754, '12:34'],
  [3_723, '1:02:03'],
  [-2, '0:00'],
])('formats %d s like a clock, as %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text);
});

test.each([
  [7, '7 s'],
  [60, '1 min'],
  [754, '12 min 34 s'],
  [3_600, '1 h'],
  [3_723, '1 h 2 min'],
])('formats a duration of %d s as %s', (seconds, text) => {
  expect(spokenDuration(seconds)).toBe(text);
});

test.each([
  ['2026-01-10T11:59:30Z', 'just now'],
  ['2026-01-10T11:55:00Z', '5 min. ago'],
  ['2026-01-10T09:00:00Z', '3 hr. ago'],
  ['2026-01-09T10:00:00Z', 'yesterday'],
  ['2025-12-24T12:00:00Z', 'Dec 24, 2025'],
  // The server's clock may be ahead of this one.
  ['2026-01-10T12:00:05Z', 'just now'],
])('describes how long ago %s was, as %s', (moment, text) => {
  expect(ago(new Date(moment), new Date('2026-01-10T12:00:00Z'))).toBe(text);
});
