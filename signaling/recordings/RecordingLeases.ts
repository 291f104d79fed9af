import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingDeps } from './RecordingDeps.ts';
import { heldSeconds, type RecordingStore } from './RecordingStore.ts';
import type { RecordingRow } from './tables.ts';

/** The kind of job that looks after a recording until it is settled: it is due when the recording may have no holder. */
const kind = 'recording';

/** The scheduled jobs that find a new holder for a recording when its holder has released it or died. */
export class RecordingLeases {
  readonly #store: RecordingStore;
  readonly #jobs: ScheduledJobs;

  constructor({ store, jobs }: Pick<RecordingDeps, 'store' | 'jobs'>) {
    this.#store = store;
    this.#jobs = jobs;
  }

  /** Sets the handler for recordings that may have no holder. */
  onFree(handler: (id: string) => Promise<void>): void {
    this.#jobs.on(kind, ({ subject }: JobRow) => handler(subject));
  }

  /** Inserts a new recording, held by this node. */
  async insert(
    executor: Executor,
    row: Parameters<RecordingStore['insert']>[1] & { status: 'recording' },
  ): Promise<RecordingRow> {
    const made = await this.#store.insert(executor, row);
    await this.#jobs.set(executor, kind, made.id, inSeconds(heldSeconds + 1));
    return made;
  }

  /** Frees a recording that this node holds. @param seconds the delay before any node tries to take it */
  async release(row: RecordingRow, seconds = 0): Promise<void> {
    if (await this.#store.leases.release(row)) await this.#checkAfter(row.id, seconds);
  }

  /** Frees all recordings of a dead node. */
  async releaseAllOf(nodeId: string): Promise<void> {
    for (const { id } of await this.#store.leases.releaseAllOf(nodeId)) await this.#checkAfter(id, 0);
  }

  /** Checks again when the present lease would end. */
  async checkLater(id: string): Promise<void> {
    const now = await this.#store.find(id);
    if (!now || !isUnsettled(now)) return;
    const freeInMs = (now.heldUntil?.getTime() ?? 0) - Date.now();
    await this.#checkAfter(id, Math.max(1, freeInMs / 1_000 + 1));
  }

  /** Removes the job of a recording that no longer needs a holder. */
  async settle(executor: Executor, id: string): Promise<void> {
    await this.#jobs.cancel(executor, kind, id);
  }

  #checkAfter(id: string, seconds: number): Promise<void> {
    return this.#store.transaction((executor) => this.#jobs.set(executor, kind, id, inSeconds(seconds)));
  }
}

export const isUnsettled = ({ status }: RecordingRow) => status === 'recording' || status === 'processing';
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
