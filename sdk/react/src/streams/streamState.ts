import type { LiveStream, Source, StreamChatMessage } from '@parley/sdk';
import { withChat } from '../conversation/withChat.ts';

/** `away`: live, and waiting for the publisher to reconnect. */
export type StreamMood = 'idle' | 'live' | 'away' | 'ended';

export const moodOf = ({ status, isSending }: Pick<LiveStream, 'status' | 'isSending'>): StreamMood =>
  status === 'live' && !isSending ? 'away' : status;

/** The duration of a stream so far, or in total once it has ended, in seconds; null before the start. */
export function secondsOf({ startedAt, endedAt }: LiveStream, now: Date): number | null {
  return startedAt && ((endedAt ?? now).getTime() - startedAt.getTime()) / 1_000;
}

/** The tracks received by WebRTC, by their source. */
export type Tracks = ReadonlyMap<Source, MediaStreamTrack>;

export const withTrack = (tracks: Tracks, source: Source, track: MediaStreamTrack): Tracks =>
  new Map(tracks).set(source, track);

/** Removes a track unless another track has already replaced it. */
export function withoutTrack(tracks: Tracks, source: Source, ended: MediaStreamTrack): Tracks {
  if (tracks.get(source) !== ended) return tracks;
  const rest = new Map(tracks);
  rest.delete(source);
  return rest;
}

export const withoutMessage = (chat: StreamChatMessage[], messageId: string): StreamChatMessage[] =>
  chat.filter(({ message }) => message.id !== messageId);

/** How many messages of the chat are read at once. */
export const chatRead = 100;

/**
 * The chat after its latest messages were read again: without those that were deleted meanwhile, which are missing in what was read.
 * @param known the chat before they were read
 * @param read the latest `chatRead` messages, oldest first
 */
export function withLatest(
  chat: StreamChatMessage[],
  known: StreamChatMessage[],
  read: StreamChatMessage[],
): StreamChatMessage[] {
  const [ids, before] = [read, known].map((list) => new Set(list.map(({ message }) => message.id)));
  // Older ones than these are not in a full answer.
  const since = read.length < chatRead ? -Infinity : Number(read[0]?.message.timestamp);
  const isGone = ({ message: { id, timestamp } }: StreamChatMessage) =>
    before?.has(id) && !ids?.has(id) && Number(timestamp) >= since;
  return withChat(chat.some(isGone) ? chat.filter((each) => !isGone(each)) : chat, ...read);
}

/** The maximum length of a chat message, in characters. */
export const longestMessage = 500;
