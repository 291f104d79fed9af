import { ParleyError } from '../protocol/errors.ts';
import { newId } from '../protocol/ids.ts';
import { longestVoicemail } from '../protocol/limits.ts';
import type { Address } from '../protocol/common.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { Media } from './media/media.ts';
import type { Notifications } from './notifications.ts';
import { isWorthRepeating, retryTransient } from './connection/transient.ts';
import { Recorder } from './media/Recorder.ts';
import type { ParleyEvents, Transcription, UploadOptions, Voicemail } from './types.ts';

interface RecordVoicemail extends Pick<UploadOptions, 'onProgress' | 'signal'> {
  to: Address | (string & {});
  /** Seconds, 1 to 300. @default 120 */
  maxDuration?: number;
  /** A recording made elsewhere, in place of the microphone's. */
  file?: Blob | Uint8Array;
  /** Called when what is said is recorded, with the microphone: for a clock, and to show how loud it is. */
  onStart?: (stream: MediaStream) => void;
}

interface VoicemailQuery {
  /** 1 to 100; 50 by default. */
  limit?: number;
  unreadOnly?: boolean;
}

interface VoicemailsOptions {
  connection: Connection;
  stream: EventStream;
  media: Media;
  notifications: Pick<Notifications, 'seen'>;
  events: Listeners<ParleyEvents>;
}

/** The server looks at the recording before it answers, or has it turned into text. */
const recordingMs = 60_000;
const transcribingMs = 130_000;

/** Spoken messages for wallets that did not answer: `client.voicemail`. */
export class Voicemails {
  readonly #connection: Connection;
  readonly #media: Media;
  #recorder: Recorder | null = null;

  constructor({ connection, stream, media, notifications, events }: VoicemailsOptions) {
    this.#connection = connection;
    this.#media = media;
    stream.on('voicemail:received', (voicemail) => {
      events.emit('voicemail:received', fromWire(voicemail));
      notifications.seen('voicemail', voicemail.id).catch(() => undefined);
    });
  }

  /**
   * Records the microphone until `maxDuration` or stop(), and leaves it for a wallet. Resolves when it is there; its `audioUrl` is empty,
   * since only the recipient may hear it.
   * @throws ParleyError PERMISSION_DENIED, INVALID_ADDRESS, VALIDATION_ERROR (too long, no sound), CONFLICT (this client records
   * already, or the recipient's voicemail is full), RATE_LIMIT_EXCEEDED; or the signal's reason
   * @example const voicemail = await client.voicemail.record({ to: '0x…', maxDuration: 60 });
   */
  async record(options: RecordVoicemail): Promise<Voicemail> {
    const { to, maxDuration = 120, file, onProgress, signal } = options;
    if (!(Number.isInteger(maxDuration) && maxDuration >= 1 && maxDuration <= longestVoicemail)) {
      const message = `maxDuration: a whole number from 1 to ${longestVoicemail}.`;
      throw new ParleyError('VALIDATION_ERROR', message);
    }
    const recording = file ?? (await this.#record(maxDuration, options));
    const { id: mediaId } = await this.#media.upload(recording, {
      ...(onProgress ? { onProgress } : {}),
      ...(signal ? { signal } : {}),
    });
    // The same id each time: whatever answer is lost, it is left once.
    const request = { id: newId('vm'), mediaId, to, maxDuration };
    const wire = await retryTransient(
      () => this.#connection.request('voicemail.record', request, recordingMs),
      () => !signal?.aborted && this.#connection.state !== 'closed',
      isWorthRepeating,
    );
    return fromWire(wire);
  }

  /** Ends the recording that runs, which is then sent. Without one nothing happens. */
  async stop(): Promise<void> {
    await this.#recorder?.stop();
  }

  /** This wallet's voicemails, latest first. */
  async getAll(query: VoicemailQuery = {}): Promise<Voicemail[]> {
    return fromWire(await this.#connection.request('voicemail.getAll', query));
  }

  /** With a fresh `audioUrl`. @throws ParleyError NOT_FOUND */
  async get(voicemailId: string): Promise<Voicemail> {
    return fromWire(await this.#connection.request('voicemail.get', { voicemailId }));
  }

  async markAsRead(voicemailId: string): Promise<void> {
    await this.#connection.request('voicemail.markAsRead', { voicemailId });
  }

  /** With its recording, for good. */
  async delete(voicemailId: string): Promise<void> {
    await this.#connection.request('voicemail.delete', { voicemailId });
  }

  /** What was said, in words; from then on it is the voicemail's `transcription`. @throws ParleyError SERVICE_UNAVAILABLE where the server can't */
  async transcribe(voicemailId: string): Promise<Transcription> {
    return fromWire(await this.#connection.request('voicemail.transcribe', { voicemailId }, transcribingMs));
  }

  /** @internal */
  close(): void {
    this.#recorder?.cancel();
  }

  async #record(maxDuration: number, { signal, onStart }: RecordVoicemail): Promise<Blob> {
    if (this.#recorder) throw new ParleyError('CONFLICT', 'This client is recording already: stop it first.');
    const recorder = new Recorder(maxDuration);
    this.#recorder = recorder;
    const cancel = () => recorder.cancel(signal?.reason);
    signal?.addEventListener('abort', cancel);
    try {
      signal?.throwIfAborted();
      return await recorder.run(() => this.#media.capture({ audio: true, video: false }), onStart);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#recorder = null;
    }
  }
}
