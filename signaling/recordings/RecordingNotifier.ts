import type { WireMediaInfo } from '../../sdk/protocol/files.ts';
import type { WireRecording } from '../../sdk/protocol/recordings.ts';
import type { RecordingDeps } from './RecordingDeps.ts';
import type { RecordingRow } from './tables.ts';
import { toRecording } from './toWire.ts';

/** Shows recordings to their owners. */
export class RecordingNotifier {
  readonly #deps: Pick<RecordingDeps, 'store' | 'recorder' | 'notifier' | 'log'>;

  constructor(deps: Pick<RecordingDeps, 'store' | 'recorder' | 'notifier' | 'log'>) {
    this.#deps = deps;
  }

  async describe(rows: RecordingRow[]): Promise<WireRecording[]> {
    const ready = rows.filter(({ status }) => status === 'ready').map(({ id }) => id);
    const files = await this.#deps.store.filesOf(ready);
    const media = await this.#deps.recorder?.describe(files.map(({ fileId }) => fileId));
    return rows.map((row) => {
      const own = files.filter(({ recordingId }) => recordingId === row.id);
      return toRecording(row, own, media ?? new Map<string, WireMediaInfo>());
    });
  }

  /** Notifies the owner of the recording's state. */
  async notify(row: RecordingRow): Promise<void> {
    try {
      const [recording] = await this.describe([row]);
      if (recording) this.#deps.notifier.toWallet(row.host, 'recording:updated', recording);
    } catch (err) {
      this.#deps.log.warn({ err, recordingId: row.id }, 'owner of recording not notified');
    }
  }
}
