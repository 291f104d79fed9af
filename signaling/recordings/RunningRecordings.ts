import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ActiveRecording } from './Recorder.ts';
import type { EndReason, RecordingDeps, RecordingScopes } from './RecordingDeps.ts';
import type { RecordingNotifier } from './RecordingNotifier.ts';
import type { RecordingRow } from './tables.ts';

export interface RunningDeps extends Omit<RecordingDeps, 'notifier'> {
  scopes: RecordingScopes;
  notifier: RecordingNotifier;
}

/** The longest wait for storage when this node stops. */
const closeLimitMs = 10_000;

/**
 * The recordings this node makes, from their start until everything is stored. A recording stops when it reaches a limit, or when any node
 * ends it.
 *
 * close() stores everything recorded so far. Another node continues, or this one after its restart.
 */
export class RunningRecordings {
  readonly #deps: RunningDeps;
  /** The recordings that this node makes or stops. */
  readonly #active = new Map<string, { end: () => void; stored: Promise<void> }>();

  constructor(deps: RunningDeps) {
    this.#deps = deps;
    deps.io.on('recording:changed', (id) => void this.#stopIfOver(id));
  }

  /** Whether this node is making or stopping this recording. */
  has(id: string): boolean {
    return this.#active.has(id);
  }

  /** Notifies everybody in the room, then starts recording. */
  async go(row: RecordingRow): Promise<void> {
    const { recorder, scopes, notifier, log } = this.#deps;
    const { id: recordingId, kind, roomId } = row;
    if (!recorder) return;
    try {
      await scopes.get(kind)?.notify(row, true);
    } catch (err) {
      // If the participants were not notified, nothing may be recorded. Maintenance tries again.
      log.error({ err, recordingId }, 'start of recording failed');
      return;
    }
    if (this.#active.has(recordingId)) return;
    log.info({ recordingId, kind, roomId }, 'recording started');
    let end = () => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.#active.set(recordingId, { end, stored: this.#make(row, recorder.begin(row), ended) });
    void notifier.notify(row);
    // The recording may have been ended before it started here.
    await this.#stopIfOver(recordingId);
  }

  /** Call after the transaction that ended the recording. */
  ended(row: RecordingRow): void {
    const { io, isSingleNode, notifier, log } = this.#deps;
    log.info({ recordingId: row.id, endReason: row.endReason }, 'recording ended');
    void notifier.notify(row);
    this.#active.get(row.id)?.end();
    if (!isSingleNode) io.serverSideEmit('recording:changed', row.id);
  }

  /** While storage is away, a recording stays held until its lease ends. The next process of this node stores the rest from the disk. */
  async close(): Promise<void> {
    for (const { end } of this.#active.values()) end();
    const allStored = Promise.all([...this.#active.values()].map(({ stored }) => stored));
    await Promise.race([allStored, delay(closeLimitMs, undefined, { ref: false })]);
  }

  /** Holds the recording until it has ended and everything is stored, or another node holds it. What this node has stored stays part of it. */
  async #make(row: RecordingRow, active: ActiveRecording, ended: Promise<void>): Promise<void> {
    const { store, log } = this.#deps;
    const record = async (lost: AbortSignal) => {
      await Promise.race([ended, once(lost, 'abort')]);
      await active.stop();
      await this.#noteLeftOut(row.id, active);
    };
    try {
      await store.leases.whileHeld(row, record, (now) => this.#check(now, active));
    } catch (err) {
      log.error({ err, recordingId: row.id }, 'recording not stopped');
    }
    this.#active.delete(row.id);
    await store
      .release(row)
      .catch((err: unknown) => log.warn({ err, recordingId: row.id }, 'recording not released'));
  }

  /** Ends a recording that has reached a limit. */
  async #check(row: RecordingRow, active: ActiveRecording): Promise<void> {
    if (row.status !== 'recording') return this.#active.get(row.id)?.end();
    await this.#noteLeftOut(row.id, active);
    const reason = await this.#limitOf(row);
    if (reason) await this.#endAtLimit(row, reason);
  }

  /** @returns the limit that the recording has reached, or null */
  async #limitOf({ id, startedAt }: RecordingRow): Promise<EndReason | null> {
    const { store, recorder, limits } = this.#deps;
    if (Date.now() - startedAt.getTime() > limits.maxSeconds * 1_000) return 'too_long';
    // This includes the parts of nodes that made this recording earlier.
    if ((await store.bytesOfParts(id)) > limits.maxBytes) return 'too_large';
    return (await recorder?.hasSpace()) ? null : 'no_space';
  }

  async #endAtLimit(row: RecordingRow, reason: EndReason): Promise<void> {
    const { store, scopes } = this.#deps;
    const scope = scopes.get(row.kind);
    const ended = await store.transaction(async (executor) => {
      await scope?.lock(executor, row.roomId);
      const over = await store.end(executor, { id: row.id }, reason);
      if (over) await scope?.clear(executor, row.roomId);
      return over;
    });
    if (!ended) return;
    this.ended(ended);
    await scope?.notify(ended, false);
  }

  async #noteLeftOut(id: string, { leftOut }: ActiveRecording): Promise<void> {
    if (leftOut.size === 0) return;
    const row = await this.#deps.store.leaveOut(id, [...leftOut]);
    if (row) await this.#deps.notifier.notify(row);
  }

  /** Stops a recording that has been ended. No effect if it is still going on, or if another node makes it. */
  async #stopIfOver(id: string): Promise<void> {
    const active = this.#active.get(id);
    if (!active) return;
    try {
      if ((await this.#deps.store.find(id))?.status !== 'recording') active.end();
    } catch (err) {
      this.#deps.log.warn({ err, recordingId: id }, 'state of recording not read');
    }
  }
}
