import type { JobRow, ScheduledJobs } from '../../platform/jobs/ScheduledJobs.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RecordingDeps } from './RecordingDeps.ts';
import type { RecordingStore } from './RecordingStore.ts';
import type { RecordingRow } from './tables.ts';

/** It is to be looked after: the node that has it has gone, or it is to be joined. */
const kind = 'recording';
/** A node that says nothing for so long has it no more. */
const heldSeconds = 30;

/**
 * Which node has a recording, to record it or to join its parts: it says so now and then, and a row comes due when it no longer does.
 * Whoever it comes to may take it then.
 */
export class RecordingLeases {
  readonly #store: RecordingStore;
  readonly #jobs: ScheduledJobs;

  constructor({ store, jobs }: Pick<RecordingDeps, 'store' | 'jobs'>) {
    this.#store = store;
    this.#jobs = jobs;
  }

  /** What is to be done with one that nobody has. */
  onFree(handler: (id: string) => Promise<void>): void {
    this.#jobs.on(kind, ({ subject }: JobRow) => handler(subject));
  }

  /** A new one, which this node has. */
  async insert(
    executor: Executor,
    row: Parameters<RecordingStore['insert']>[1] & { status: 'recording' },
  ): Promise<RecordingRow> {
    const made = await this.#store.insert(executor, row, heldSeconds);
    await this.#jobs.set(executor, kind, made.id, inSeconds(heldSeconds + 1));
    return made;
  }

  /** @returns the recording, this node's from now on; null where it is ready, or another node has it */
  take(id: string): Promise<RecordingRow | null> {
    return this.#store.hold(id, heldSeconds);
  }

  /** This node still has it. @returns null where it has not */
  async keep(id: string): Promise<RecordingRow | null> {
    const row = await this.#store.keep(id, heldSeconds);
    if (row) await this.lookAt(id, heldSeconds + 1);
    return row;
  }

  /** Another node may have it at once, or this one again. @param nodeId who had it; null for this one */
  async release(id: string, nodeId: string | null = null, seconds = 0): Promise<void> {
    await this.#store.release(id, nodeId);
    await this.lookAt(id, seconds);
  }

  /** The same for all that a node had. */
  async releaseAllOf(nodeId: string): Promise<void> {
    for (const id of await this.#store.releaseAllOf(nodeId)) await this.lookAt(id, 0);
  }

  /** It is not free: another look, when it may be. */
  async lookAgain(id: string, isOurs: boolean): Promise<void> {
    const now = await this.#store.find(id);
    if (!now || !isUnsettled(now)) return;
    const freeInMs = (now.heldUntil?.getTime() ?? 0) - Date.now();
    await this.lookAt(id, isOurs ? heldSeconds : Math.max(1, freeInMs / 1_000 + 1));
  }

  lookAt(id: string, seconds: number): Promise<void> {
    return this.#store.transaction((executor) => this.#jobs.set(executor, kind, id, inSeconds(seconds)));
  }

  /** Nobody is to look at it any more. */
  async settle(executor: Executor, id: string): Promise<void> {
    await this.#jobs.cancel(executor, kind, id);
  }
}

export const isUnsettled = ({ status }: RecordingRow) => status === 'recording' || status === 'processing';
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
