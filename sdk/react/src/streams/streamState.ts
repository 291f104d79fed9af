import type { LiveStream, Source, StreamChatMessage } from '@parley/sdk';

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

/** The maximum length of a chat message, in characters. */
export const longestMessage = 500;
