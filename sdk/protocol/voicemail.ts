import { z } from 'zod';
import { id, isoDate, nothing, walletAddress } from './common.ts';
import { fileId } from './files.ts';
import { longestVoicemail } from './limits.ts';

export const voicemail = z.object({
  id: id('vm'),
  from: walletAddress,
  to: walletAddress,
  /** Signed, and good for about an hour. Empty for the sender: only the recipient may hear it. */
  audioUrl: z.string(),
  /** Seconds. */
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
  /** Seconds from the beginning. */
  segments: z.array(z.object({ start: z.number(), end: z.number(), text: z.string() })),
  createdAt: isoDate,
});
export type WireTranscription = z.infer<typeof transcription>;

const voicemailId = z.strictObject({ voicemailId: id('vm') });

export const voicemailRequests = {
  'voicemail.record': {
    request: z.strictObject({
      /** The sender's choice: sent again after a lost answer, it is the same voicemail. */
      id: id('vm'),
      /** The recording, uploaded before. */
      mediaId: fileId,
      to: walletAddress,
      /** Seconds. */
      maxDuration: z.int().min(1).max(longestVoicemail).default(120),
    }),
    response: voicemail,
  },
  'voicemail.getAll': {
    request: z.strictObject({
      limit: z.int().min(1).max(100).default(50),
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
  /** Somebody has left a voicemail for this wallet. */
  'voicemail:received': voicemail,
} as const;
