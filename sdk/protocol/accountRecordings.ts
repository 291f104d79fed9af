import { z } from 'zod';
import { displayName, plainText } from './common.ts';
import { mediaInfo } from './files.ts';
import { partyId } from './guests.ts';
import { pageOf, paging } from './http.ts';
import { recordingKind, recordingStatus } from './recordings.ts';
import { eventRecording } from './webhookData.ts';

/* The routes of recordings, for backends. */

export const recordingPath = z.object({ id: plainText.max(64).describe('The id of the recording.') });

/** A file of a recording: what one participant sent. */
const file = mediaInfo.extend({
  identity: z
    .string()
    .describe(
      'The recorded participant: the identity in the participant token of a guest; otherwise the wallet.',
    ),
  isGuest: z.boolean().describe('Whether the participant joined with a participant token.'),
  displayName: displayName
    .nullable()
    .optional()
    .describe(
      'The name that the participant had in the room; null in a call or stream. Missing from servers of older releases.',
    ),
  isScreen: z
    .boolean()
    .describe('true: a shared screen with its audio. false: camera and microphone of the participant.'),
  startSeconds: z.number().describe('Seconds from the start of the recording to the start of this file.'),
});

/** A recording of the account. */
export const accountRecording = eventRecording.extend({
  host: partyId.describe('The owner: the wallet of your account, or `account:…` if it has none.'),
  leftOut: z
    .int()
    .describe(
      'The number of participants who were not recorded for some of the time, because more were sending than the server can record at once.',
    ),
  url: z
    .string()
    .nullable()
    .describe(
      'The signed address of the first file that is not a screen share, which expires after about an hour; null until the recording is ready.',
    ),
  files: z
    .array(file)
    .describe('The files, in the order in which they start; empty until the recording is ready.'),
});

export const recordingsQuery = z.strictObject({
  kind: recordingKind.optional().describe('Only recordings of this kind: `stream`, `conference` or `call`.'),
  roomId: plainText.max(64).optional().describe('Only recordings of this stream, room or call.'),
  status: recordingStatus
    .optional()
    .describe('Only recordings in this state: `recording`, `processing`, `ready` or `failed`.'),
  ...paging,
});
export const accountRecordings = pageOf(accountRecording);
