import { ParleyError } from '../../sdk/protocol/errors.ts';
import { isOutage } from '../../platform/errors.ts';
import { reportSettled } from './accountEvents.ts';
import type { JobRow } from '../../platform/jobs/ScheduledJobs.ts';
import type { RecordingScope } from './RecordingDeps.ts';
import { recordingJob, type RecordingStore } from './RecordingStore.ts';
import type { RunningDeps, RunningRecordings } from './RunningRecordings.ts';
import type { RecordingRow } from './tables.ts';

interface MaintenanceDeps extends RunningDeps {
  running: RunningRecordings;
}

/** The kind of job that deletes the parts of a settled recording. */
export const tidying = 'recording.tidy';
const maxAttempts = 5;
const retrySeconds = 5;
/** The wait for storage, or for room on the disk. Such an attempt does not count as failed. */
const outageSeconds = 60;

/**
 * Takes care of recordings without a holder. If the holder has died while the room goes on, this node continues the recording. If the
 * recording has ended, this node joins its parts.
 */
export class RecordingMaintenance {
  readonly #deps: MaintenanceDeps;
  /** Recordings whose parts this node is joining. */
  readonly #joining = new Set<string>();
  /** Resolves when this node has stored what its previous process recorded. Null if that failed, until it is tried again. */
  #recovered: Promise<void> | null = null;

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps;
    if (deps.recorder) {
      deps.jobs.on(recordingJob, ({ subject }) => this.#onFree(subject));
      deps.jobs.on(tidying, (row) => this.#onTidy(row));
    }
    this.#recover().catch((err: unknown) => deps.log.error({ err }, 'recovery of recorded parts failed'));
  }

  /** @throws an error if storage or the database is away. The next call tries again */
  #recover(): Promise<void> {
    return (this.#recovered ??= this.#storeRecorded().catch((error: unknown) => {
      this.#recovered = null;
      throw error;
    }));
  }

  async #storeRecorded(): Promise<void> {
    const { recorder, store } = this.#deps;
    for (const nodeId of (await recorder?.recover()) ?? []) await store.releaseAllOf(nodeId);
  }

  async #onFree(id: string): Promise<void> {
    const { store, running } = this.#deps;
    // The job is tried again if this fails: without these parts, the recording would be joined without its end.
    await this.#recover();
    const isBusy = running.has(id) || this.#joining.has(id);
    const row = isBusy ? null : await store.take(id);
    if (row && (await this.#isOver(row))) return this.#join(row);
    await store.checkLater(id);
    if (row) await running.go(row);
  }

  /** Whether the recording has ended. Ends it if its room has ended without the holder, which has died. */
  async #isOver({ id, kind, roomId, status }: RecordingRow): Promise<boolean> {
    const { store, scopes } = this.#deps;
    if (status === 'processing') return true;
    if (await isRunning(scopes.get(kind), roomId)) return false;
    // If another node has ended the recording in the meantime, that is as good.
    await store.transaction((executor) => store.end(executor, { id }, 'over'));
    return true;
  }

  async #join(row: RecordingRow): Promise<void> {
    const { store, recorder, log } = this.#deps;
    const { id } = row;
    if (!recorder) return;
    this.#joining.add(id);
    try {
      const joined = await store.leases.whileHeld(row, () => recorder.finish(row));
      const settled = joined
        ? ({ status: 'ready', ...joined } as const)
        : ({ status: 'failed', durationSeconds: 0, sizeBytes: 0, endReason: 'nothing_recorded' } as const);
      await this.#settle(row, settled);
      log.info({ recordingId: id, ...settled }, 'recording settled');
    } catch (err) {
      if (isOutage(err)) {
        log.warn({ err, recordingId: id }, 'recording not joined yet');
        return await store.release(row, outageSeconds);
      }
      log.error({ err, recordingId: id }, 'joining of recording failed');
      await store.countFailure(id);
      if (row.attempts + 1 >= maxAttempts)
        return await this.#settle(row, {
          status: 'failed',
          durationSeconds: null,
          sizeBytes: null,
          endReason: 'not_joined',
        });
      await store.release(row, retrySeconds * 2 ** row.attempts);
    } finally {
      this.#joining.delete(id);
    }
  }

  async #settle(held: RecordingRow, settled: Parameters<RecordingStore['settle']>[2]): Promise<void> {
    const { store, jobs, notifier, accountEvents } = this.#deps;
    const { id } = held;
    const row = await store.transaction(async (executor) => {
      const done = await store.settle(executor, held, settled);
      if (!done) return null;
      // Parts that could not be joined are kept for inspection, until the recording is deleted.
      if (done.endReason !== 'not_joined') await jobs.set(executor, tidying, id, new Date());
      await reportSettled(accountEvents, executor, done);
      return done;
    });
    if (row) await notifier.notify(row);
  }

  async #onTidy({ subject: id }: JobRow): Promise<void> {
    const { store, recorder } = this.#deps;
    await recorder?.discardParts(id);
    await store.removeParts(id);
    if ((await store.find(id))?.discardedAt) await store.remove(id);
  }
}

/** Whether the room still goes on. A room that is not found, or whose kind has no scope, counts as ended. */
async function isRunning(scope: RecordingScope | undefined, roomId: string): Promise<boolean> {
  try {
    return (await scope?.isRunning(roomId)) ?? false;
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
