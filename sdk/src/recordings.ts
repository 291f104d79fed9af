import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { ParleyEvents, Recording, RecordingKind } from './types.ts';

/** Selects recordings. */
export interface RecordingsQuery {
  /** Only recordings of this kind. @default all */
  kind?: RecordingKind;
  /** Only recordings of this stream, room or call. */
  roomId?: string;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Recordings to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

/** This wallet's recordings: `client.recordings`. */
export class Recordings {
  readonly #connection: Connection;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    connection.on('recording:updated', (recording) => events.emit('recording:updated', fromWire(recording)));
  }

  /**
   * Lists recordings, newest first.
   * @param query the recordings to list. Default: the latest 50
   * @returns the recordings
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const [latest] = await client.recordings.list({ kind: 'stream', roomId: stream.id });
   */
  async list(query: RecordingsQuery = {}): Promise<Recording[]> {
    return fromWire(await this.#connection.request('recordings.list', query));
  }

  /**
   * Reads a recording. Its URLs are signed, support range requests, and are valid for about an hour.
   * @param recordingId the id of the recording
   * @returns the recording
   * @throws ParleyError NOT_FOUND: there is no such recording, or another wallet's
   */
  async get(recordingId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('recordings.get', { recordingId }));
  }

  /**
   * Deletes a recording and its files, permanently.
   * @param recordingId the id of the recording
   * @throws ParleyError NOT_FOUND: there is no such recording
   * @throws ParleyError CONFLICT: it is still being recorded or processed
   */
  async delete(recordingId: string): Promise<void> {
    await this.#connection.request('recordings.delete', { recordingId });
  }
}
