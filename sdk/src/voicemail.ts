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
import { abortReason, orAborted, throwIfAborted } from './platform/abort.ts';
import type { Platform, UploadFile } from './platform/Platform.ts';
import { Recorder } from './media/Recorder.ts';
import type { ParleyEvents, Transcription, UploadOptions, Voicemail } from './types.ts';

/** The voicemail to leave. */
export interface RecordVoicemail extends Pick<UploadOptions, 'onProgress' | 'signal'> {
  /** The recipient's wallet address. */
  to: Address | (string & {});
  /** The maximum length of the recording in seconds, 1 to 300. @default 120 */
  maxDuration?: number;
  /** A recording to send. @default none: the microphone is recorded */
  file?: UploadFile;
  /**
   * Called when the recording starts, with the microphone's stream: for a timer or a level meter. There is no stream if a recorder of
   * `platform.createRecorder` has none.
   */
  onStart?: (stream: MediaStream) => void;
}

/** Selects voicemails. */
export interface VoicemailQuery {
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Voicemails to skip, 0 to 100,000. @default 0 */
  offset?: number;
  /** Whether to list only unread voicemails. @default false */
  unreadOnly?: boolean;
}

interface VoicemailsOptions {
  connection: Connection;
  stream: EventStream;
  media: Media;
  notifications: Pick<Notifications, 'seen'>;
  events: Listeners<ParleyEvents>;
  platform: Platform;
}

/** The timeout of a request to leave a voicemail. The server checks and converts the recording before it answers. */
const recordingMs = 60_000;
/** After this many failures, which take about 20 seconds if the server refuses at once, the app gets the error. */
const maxFailures = 8;
/** The timeout of a request to transcribe. The server answers when the transcription is done. */
const transcribingMs = 130_000;

/** Voicemails: `client.voicemail`. */
export class Voicemails {
  readonly #connection: Connection;
  readonly #media: Media;
  readonly #platform: Platform;
  #recorder: Recorder | null = null;

  constructor({ connection, stream, media, notifications, events, platform }: VoicemailsOptions) {
    this.#connection = connection;
    this.#platform = platform;
    this.#media = media;
    stream.on('voicemail:received', (voicemail) => {
      events.emit('voicemail:received', fromWire(voicemail));
      notifications.seen('voicemail', voicemail.id).catch(() => undefined);
    });
  }

  /**
   * Records the microphone until stop() is called or `maxDuration` is reached, and leaves the recording as a voicemail for a wallet.
   * @param options.onProgress called during the upload, with bytes
   * @param options.signal aborts the recording and the upload
   * @returns the voicemail, once the server has stored it. Its `audioUrl` is empty, because only the recipient may listen to it
   * @throws ParleyError PERMISSION_DENIED: microphone refused, or recording not supported. Only without `file`, like NOT_FOUND
   * @throws ParleyError NOT_FOUND: no microphone
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: longer than `maxDuration`, not audio, `file` over 25 MB (`payload_too_large`), or to this wallet
   * itself
   * @throws ParleyError CONFLICT: this client is already recording or was closed, the microphone is in use, the recipient's mailbox is
   * full, or the storage quota of the wallet or server is used up
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files. Aborted by `signal`, the promise rejects with the reason of the
   * signal
   * @example const voicemail = await client.voicemail.record({ to: '0x…', maxDuration: 60 });
   */
  async record(options: RecordVoicemail): Promise<Voicemail> {
    const { to, maxDuration = 120, file, onProgress, signal } = options;
    if (!(Number.isInteger(maxDuration) && maxDuration >= 1 && maxDuration <= longestVoicemail)) {
      const message = `maxDuration must be a whole number of seconds from 1 to ${longestVoicemail}.`;
      throw new ParleyError('VALIDATION_ERROR', message);
    }
    const recording = file ?? (await this.#record(maxDuration, options));
    const { id: mediaId } = await this.#media.upload(recording, {
      ...(onProgress ? { onProgress } : {}),
      ...(signal ? { signal } : {}),
    });
    // Every attempt has the same id, so that the voicemail is left once even if an answer is lost.
    const request = { id: newId('vm'), mediaId, to, maxDuration };
    let failures = 0;
    throwIfAborted(signal);
    const leaving = retryTransient(
      () => this.#connection.request('voicemail.record', request, recordingMs),
      () => !signal?.aborted && this.#connection.state !== 'closed',
      (error) => isWorthRepeating(error) && ++failures < maxFailures,
    );
    return fromWire(await orAborted(leaving, signal));
  }

  /**
   * Stops the current recording, if there is one. record() then sends it. Never rejects.
   */
  async stop(): Promise<void> {
    await this.#recorder?.stop();
  }

  /**
   * Lists this wallet's voicemails, latest first.
   * @param query the voicemails to list. Default: the latest 50
   * @returns the voicemails
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async getAll(query: VoicemailQuery = {}): Promise<Voicemail[]> {
    return fromWire(await this.#connection.request('voicemail.getAll', query));
  }

  /**
   * Reads a voicemail, with a new `audioUrl` that is valid for about an hour.
   * @param voicemailId the id of the voicemail
   * @returns the voicemail
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   */
  async get(voicemailId: string): Promise<Voicemail> {
    return fromWire(await this.#connection.request('voicemail.get', { voicemailId }));
  }

  /**
   * Marks a voicemail as read.
   * @param voicemailId the id of the voicemail
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   */
  async markAsRead(voicemailId: string): Promise<void> {
    await this.#connection.request('voicemail.markAsRead', { voicemailId });
  }

  /**
   * Deletes a voicemail and its recording, permanently.
   * @param voicemailId the id of the voicemail
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   */
  async delete(voicemailId: string): Promise<void> {
    await this.#connection.request('voicemail.delete', { voicemailId });
  }

  /**
   * Transcribes a voicemail, which may take up to two minutes. Afterwards the voicemail's `transcription` contains the text too.
   * @param voicemailId the id of the voicemail
   * @returns the text, with the time of each segment
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no transcription service, or the service does not answer
   */
  async transcribe(voicemailId: string): Promise<Transcription> {
    return fromWire(await this.#connection.request('voicemail.transcribe', { voicemailId }, transcribingMs));
  }

  /** @internal */
  close(): void {
    this.#recorder?.cancel();
  }

  async #record(maxDuration: number, { signal, onStart }: RecordVoicemail): Promise<UploadFile> {
    if (this.#recorder) throw new ParleyError('CONFLICT', 'This client is recording already: stop it first.');
    const recorder = new Recorder({
      maxSeconds: maxDuration,
      createRecorder: this.#platform.createRecorder,
      open: () => this.#media.inputs.capture({ audio: true, video: false }),
    });
    this.#recorder = recorder;
    const cancel = () => recorder.cancel(signal && abortReason(signal));
    signal?.addEventListener('abort', cancel);
    try {
      throwIfAborted(signal);
      return await recorder.run(onStart);
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#recorder = null;
    }
  }
}
