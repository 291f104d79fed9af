import { z } from 'zod';
import { id, isoDate, nothing, plainText, walletAddress } from './common.ts';
import { mediaInfo } from './files.ts';

export const recordingKind = z.enum(['stream', 'conference', 'call']);
export type RecordingKind = z.infer<typeof recordingKind>;

export const recordingStatus = z.enum(['recording', 'processing', 'ready', 'failed']);
export type RecordingStatus = z.infer<typeof recordingStatus>;

/** What one of them sent: WebM or MP4, as it was encoded. */
const recordingFile = mediaInfo.extend({
  /** Whose sound and picture it is. */
  walletAddress,
  /** It is what they shared of their screen, with its sound; else their camera and microphone. */
  isScreen: z.boolean(),
  /** Seconds after the beginning of the recording. */
  startSeconds: z.number(),
});

export const recording = z.object({
  id: id('rec'),
  kind: recordingKind,
  /** The stream, room or call. */
  roomId: z.string(),
  /** Who has it: the host of a stream, or who had the room or call recorded. */
  host: walletAddress,
  /** Of the stream or room; empty for a call. */
  title: z.string(),
  status: recordingStatus,
  startedAt: isoDate,
  endedAt: isoDate.nullable(),
  /**
   * Why it ended: `stopped`, `over` (what was recorded has ended), `too_long`, `too_large`, `no_space`; and why it failed:
   * `nothing_recorded`, `not_joined`.
   */
  endReason: z.string().nullable(),
  /** Until the end of its last file; null until it is ready. */
  durationSeconds: z.number().nullable(),
  /** Of all its files; null until it is ready. */
  sizeBytes: z.int().nullable(),
  /** How many people were not recorded, for some time at least, since more were sending than this server records at a time. */
  leftOut: z.int(),
  /** Where its first file is to be had that is no screen, of a stream the whole: signed, and good for about an hour. Null until it is ready. */
  url: z.string().nullable(),
  /**
   * The one who comes first, first. Of a stream one, unless it went on in another form (another codec or size); of rooms and calls one or
   * more for each who sent something. And one for each time somebody shared a screen, or more.
   */
  files: z.array(recordingFile),
});
export type WireRecording = z.output<typeof recording>;

const recordingId = z.strictObject({ recordingId: id('rec') });

export const recordingRequests = {
  /** This wallet's, newest first. */
  'recordings.list': {
    request: z.strictObject({
      kind: recordingKind.optional(),
      /** Of this stream, room or call alone. */
      roomId: plainText.max(64).optional(),
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(recording),
  },
  'recordings.get': { request: recordingId, response: recording },
  /** With its files, for good. */
  'recordings.delete': { request: recordingId, response: nothing },
} as const;

export const recordingEvents = {
  /** To who has it: begun, ended, ready, failed. */
  'recording:updated': recording,
} as const;
