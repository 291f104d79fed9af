import { z } from 'zod';
import { id, isoDate, nothing, walletAddress } from './common.ts';
import { fileId } from './files.ts';
import { longestVoicemail } from './limits.ts';

export const voicemail = z.object({
  id: id('vm'),
  from: walletAddress,
  to: walletAddress,
  /** A signed address that expires after about an hour. Empty for the sender, since only the recipient may listen. */
  audioUrl: z.string(),
  /** The duration in seconds. */
  duration: z.number(),
  timestamp: isoDate,
  isRead: z.boolean(),
  transcription: z.string().nullable(),
});
export type WireVoicemail = z.infer<typeof voicemail>;

export const transcription = z.object({
  voicemailId: id('vm'),
  text: z.string(),
  language: z.string().nullable(),
  /** `start` and `end` in seconds from the beginning. */
  segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })),
  createdAt: isoDate,
});
export type WireTranscription = z.infer<typeof transcription>;

const voicemailId = z.strictObject({ voicemailId: id('vm') });

export const voicemailRequests = {
  'voicemail.record': {
    request: z.strictObject({
      /** Chosen by the client. A repeated request with the same id returns the same voicemail. */
      id: id('vm'),
      /** The uploaded recording. */
      mediaId: fileId,
      to: walletAddress,
      /** In seconds. */
      maxDuration: z.int().min(1).max(longestVoicemail).default(120),
    }),
    response: voicemail,
  },
  'voicemail.getAll': {
    request: z.strictObject({
      limit: z.int().min(1).max(100).default(50),
      offset: z.int().min(0).max(100_000).default(0),
      unreadOnly: z.boolean().default(false),
    }),
    response: z.array(voicemail),
  },
  'voicemail.get': { request: voicemailId, response: voicemail },
  'voicemail.markAsRead': { request: voicemailId, response: nothing },
  'voicemail.delete': { request: voicemailId, response: nothing },
  'voicemail.transcribe': { request: voicemailId, response: transcription },
} as const;

export const voicemailEvents = {
  /** Another wallet left a voicemail for this wallet. */
  'voicemail:received': voicemail,
} as const;
