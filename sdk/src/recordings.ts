import type { RequestInput } from '../protocol/wire.ts';
import type { Connection } from './connection/Connection.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import type { ParleyEvents, Recording } from './types.ts';

/** What was recorded for this wallet: `client.recordings`. */
export class Recordings {
  readonly #connection: Connection;

  constructor(connection: Connection, events: Listeners<ParleyEvents>) {
    this.#connection = connection;
    connection.on('recording:updated', (recording) => events.emit('recording:updated', fromWire(recording)));
  }

  /**
   * Newest first: 50, or `limit`.
   * @example const [latest] = await client.recordings.list({ kind: 'stream', roomId: stream.id });
   */
  async list(query: RequestInput<'recordings.list'> = {}): Promise<Recording[]> {
    return fromWire(await this.#connection.request('recordings.list', query));
  }

  /** With fresh addresses, which are good for about an hour and take ranges. @throws ParleyError NOT_FOUND: also for other people's */
  async get(recordingId: string): Promise<Recording> {
    return fromWire(await this.#connection.request('recordings.get', { recordingId }));
  }

  /** With its files, for good. @throws ParleyError CONFLICT while it is being recorded or made ready */
  async delete(recordingId: string): Promise<void> {
    await this.#connection.request('recordings.delete', { recordingId });
  }
}
