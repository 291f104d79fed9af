import type { LiveStream } from '@parley/sdk';
import { expect, it, test } from 'vitest';
import { moodOf, secondsOf, withoutTrack, withTrack, type Tracks } from './streamState.ts';

test.each([
  ['idle', false, 'idle'],
  ['live', true, 'live'],
  ['live', false, 'away'],
  ['ended', false, 'ended'],
] as const)('derives the state of a stream (%s, sending: %s) as %s', (status, isSending, mood) => {
  expect(moodOf({ status, isSending })).toBe(mood);
});

it('measures the duration of a stream until its end, or until now while it lasts', () => {
  const now = new Date('2026-01-10T12:01:00Z');
  const stream = (startedAt: Date | null, endedAt: Date | null) => ({ startedAt, endedAt }) as LiveStream;
  const begin = new Date('2026-01-10T12:00:00Z');
  expect(secondsOf(stream(null, null), now)).toBeNull();
  expect(secondsOf(stream(begin, null), now)).toBe(60);
  expect(secondsOf(stream(begin, new Date('2026-01-10T12:00:30Z')), now)).toBe(30);
});

it('removes an ended track but not its replacement', () => {
  const [first, second] = [{}, {}] as MediaStreamTrack[];
  if (!first || !second) throw new Error('two tracks');
  const tracks: Tracks = withTrack(withTrack(new Map(), 'camera', first), 'camera', second);
  expect(withoutTrack(tracks, 'camera', first)).toBe(tracks);
  expect(withoutTrack(tracks, 'camera', second).size).toBe(0);
});
