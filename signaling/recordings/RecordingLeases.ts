import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingDeps } from './RecordingDeps.ts';
import type { RecordingStore } from './RecordingStore.ts';
import type { RecordingRow } from './tables.ts';

/** The kind of job that is due when a recording has no holder: its node has died, or its parts must be joined. */
const kind = 'recording';
/** A lease that is not renewed expires after this time. */
const heldSeconds = 30;

/**
 * Leases of recordings. The holder of a lease is the node that records, or that joins the parts. It renews its lease. If it stops doing so,
 * a scheduled job comes due, and the node that runs the job may take the recording.
 */
export class RecordingLeases {
  readonly #store: RecordingStore;
  readonly #jobs: ScheduledJobs;

  constructor({ store, jobs }: Pick<RecordingDeps, 'store' | 'jobs'>) {
    this.#store = store;
    this.#jobs = jobs;
  }

  /** Sets the handler for recordings without a holder. */
  onFree(handler: (id: string) => Promise<void>): void {
    this.#jobs.on(kind, ({ subject }: JobRow) => handler(subject));
  }

  /** Inserts a new recording, held by this node. */
  async insert(
    executor: Executor,
    row: Parameters<RecordingStore['insert']>[1] & { status: 'recording' },
  ): Promise<RecordingRow> {
    const made = await this.#store.insert(executor, row, heldSeconds);
    await this.#jobs.set(executor, kind, made.id, inSeconds(heldSeconds + 1));
    return made;
  }

  /** Takes the recording. @returns the recording, now held by this node; null if it is settled or held by another node */
  take(id: string): Promise<RecordingRow | null> {
    return this.#store.hold(id, heldSeconds);
  }

  /** Renews this node's lease. @returns null when the lease is lost */
  async keep(id: string): Promise<RecordingRow | null> {
    const row = await this.#store.keep(id, heldSeconds);
    if (row) await this.checkAfter(id, heldSeconds + 1);
    return row;
  }

  /**
   * Frees the recording, so that any node may take it.
   * @param nodeId the holder; null for this node
   * @param seconds the delay before another node tries to take it
   */
  async release(id: string, nodeId: string | null = null, seconds = 0): Promise<void> {
    await this.#store.release(id, nodeId);
    await this.checkAfter(id, seconds);
  }

  /** Frees all recordings of a node. */
  async releaseAllOf(nodeId: string): Promise<void> {
    for (const id of await this.#store.releaseAllOf(nodeId)) await this.checkAfter(id, 0);
  }

  /** Called when the recording is not free. Checks again when it may be. */
  async checkLater(id: string, isOurs: boolean): Promise<void> {
    const now = await this.#store.find(id);
    if (!now || !isUnsettled(now)) return;
    const freeInMs = (now.heldUntil?.getTime() ?? 0) - Date.now();
    await this.checkAfter(id, isOurs ? heldSeconds : Math.max(1, freeInMs / 1_000 + 1));
  }

  checkAfter(id: string, seconds: number): Promise<void> {
    return this.#store.transaction((executor) => this.#jobs.set(executor, kind, id, inSeconds(seconds)));
  }

  /** Removes the job of a recording that no longer needs a holder. */
  async settle(executor: Executor, id: string): Promise<void> {
    await this.#jobs.cancel(executor, kind, id);
  }
}

export const isUnsettled = ({ status }: RecordingRow) => status === 'recording' || status === 'processing';
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
