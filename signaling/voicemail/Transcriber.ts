import type { Transcript } from './tables.ts';

/** Turns speech into text. */
export interface Transcriber {
  /** @throws ParleyError SERVICE_UNAVAILABLE */
  transcribe(recording: { bytes: Buffer; mimeType: string }): Promise<Omit<Transcript, 'createdAt'>>;
}
