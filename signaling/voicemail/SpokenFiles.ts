import type { Attachments } from '../messages/Attachments.ts';

/** Storage of voicemail audio. Uploads are converted for playback. */
export interface SpokenFiles extends Attachments {
  /**
   * Converts a file to Opus, unless that is already done.
   * @returns its length in seconds
   * @throws ParleyError VALIDATION_ERROR if it cannot be decoded
   */
  toOpus(fileId: string): Promise<number>;
  /** A newly signed, short-lived URL of a converted file. Its row is not read: a list would read several pages of the database for each. */
  opusUrlOf(fileId: string): string;
  bytesOf(fileId: string): Promise<{ bytes: Buffer; mimeType: string }>;
}
