import { z } from 'zod';
import { displayName, id, isoDate, nothing, plainText } from './common.ts';
import { mediaInfo } from './files.ts';
import { isGuest, partyId } from './guests.ts';

export const recordingKind = z.enum(['stream', 'conference', 'call']);
/** What was recorded. */
export type RecordingKind = z.infer<typeof recordingKind>;

export const recordingStatus = z.enum(['recording', 'processing', 'ready', 'failed']);
/** The state of a recording. Its files can be read when it is `ready`. */
export type RecordingStatus = z.infer<typeof recordingStatus>;

/** The file of one participant: WebM or MP4, in the codecs that were sent. */
const recordingFile = mediaInfo.extend({
  /** The recorded participant. */
  walletAddress: partyId,
  isGuest,
  /** The name that the participant had in the room; null in a call or stream. Missing from servers of older releases. */
  displayName: displayName.nullable().optional(),
  /** true: the file contains the participant's shared screen with its audio. false: it contains their camera and microphone. */
  isScreen: z.boolean(),
  /** Seconds from the start of the recording to the start of this file. */
  startSeconds: z.number(),
});

export const recording = z.object({
  id: id('rec'),
  kind: recordingKind,
  /** The id of the stream, room or call. */
  roomId: z.string(),
  /** The owner: the host of the stream, or the wallet that started recording the room or call. */
  host: partyId,
  /** The title of the stream or room; empty for a call. */
  title: z.string(),
  status: recordingStatus,
  startedAt: isoDate,
  endedAt: isoDate.nullable(),
  /**
   * Why it ended: `stopped`, `over` (the stream, room or call ended), `too_long`, `too_large`, `no_space`; or why it failed:
   * `nothing_recorded`, `not_joined`.
   */
  endReason: z.string().nullable(),
  /** Seconds from the start of the recording to the end of its last file; null until the recording is ready. */
  durationSeconds: z.number().nullable(),
  /** The size of all files together; null until the recording is ready. */
  sizeBytes: z.int().nullable(),
  /**
   * The number of participants who were not recorded for at least some of the time, because more participants were sending than this
   * server can record at once.
   */
  leftOut: z.int(),
  /**
   * The signed address of the first file that is not a screen share (or of the first file if all are), which expires after about an
   * hour; null until the recording is ready. The recording of a stream usually has only this file.
   */
  url: z.string().nullable(),
  /**
   * The files, in the order in which they start. A stream has one file, or several if its codec or size changed. A room or call has
   * one or more files for each participant who sent media, and one or more for each screen share.
   */
  files: z.array(recordingFile),
});
export type WireRecording = z.output<typeof recording>;

const recordingId = z.strictObject({ recordingId: id('rec') });

export const recordingRequests = {
  /** The recordings of this wallet, newest first. */
  'recordings.list': {
    request: z.strictObject({
      kind: recordingKind.optional(),
      /** Return only recordings of this stream, room or call. */
      roomId: plainText.max(64).optional(),
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
    }),
    response: z.array(recording),
  },
  'recordings.get': { request: recordingId, response: recording },
  /** Deletes a recording and its files permanently. */
  'recordings.delete': { request: recordingId, response: nothing },
} as const;

export const recordingEvents = {
  /** To the owner: the recording has started, ended, become ready or failed. */
  'recording:updated': recording,
} as const;
