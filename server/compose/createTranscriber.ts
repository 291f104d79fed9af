import type { Transcriber } from '../../signaling/voicemail/Transcriber.ts';
import type { Config } from '../config/config.ts';
import { OpenAiTranscriber } from '../transcription/OpenAiTranscriber.ts';

/** @returns null if no transcription server is configured: voicemail is then not transcribed */
export function createTranscriber({
  TRANSCRIPTION_URL: url,
  TRANSCRIPTION_KEY: key,
  TRANSCRIPTION_MODEL: model,
  TRANSCRIPTION_SECONDS: seconds,
}: Pick<
  Config,
  'TRANSCRIPTION_URL' | 'TRANSCRIPTION_KEY' | 'TRANSCRIPTION_MODEL' | 'TRANSCRIPTION_SECONDS'
>): Transcriber | null {
  return url === undefined ? null : new OpenAiTranscriber({ url, key, model, timeoutMs: seconds * 1_000 });
}
