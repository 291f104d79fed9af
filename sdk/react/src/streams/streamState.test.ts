import type { LiveStream, StreamChatMessage } from '@parley/sdk';
import { expect, it, test } from 'vitest';
import {
  chatRead,
  moodOf,
  secondsOf,
  withLatest,
  withoutTrack,
  withTrack,
  type Tracks,
} from './streamState.ts';

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

it('removes the messages of the chat that were deleted while nobody told of it', () => {
  const said = (at: number) =>
    ({ message: { id: `msg_${at}`, timestamp: new Date(at) } }) as StreamChatMessage;
  const ids = (chat: StreamChatMessage[]) => chat.map(({ message }) => message.id);
  const known = [said(1), said(2), said(3)];
  // The last one came while the chat was read.
  expect(ids(withLatest([...known, said(5)], known, [said(1), said(3), said(4)]))).toEqual(
    ids([said(1), said(3), said(4), said(5)]),
  );
  expect(withLatest(known, known, known)).toBe(known);
  // A full answer says nothing of what is older.
  const full = Array.from({ length: chatRead }, (_, index) => said(index + 2)).filter(
    (_, index) => index !== 1,
  );
  const newest = [...full, said(chatRead + 2)];
  expect(ids(withLatest(known, known, newest))).toEqual(ids([said(1), ...newest]));
});
