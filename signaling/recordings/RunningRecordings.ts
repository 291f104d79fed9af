import type { ActiveRecording } from './Recorder.ts';
import { renewMs, type EndReason, type RecordingDeps, type RecordingScopes } from './RecordingDeps.ts';
import type { RecordingLeases } from './RecordingLeases.ts';
import type { RecordingNotifier } from './RecordingNotifier.ts';
import type { RecordingRow } from './tables.ts';

interface RunningDeps extends Omit<RecordingDeps, 'notifier'> {
  scopes: RecordingScopes;
  leases: RecordingLeases;
  notifier: RecordingNotifier;
}

/**
 * The recordings this node makes, from their start until everything is stored. A recording stops when it reaches a limit, or when any node
 * ends it.
 *
 * close() stores everything recorded so far. Another node continues, or this one after its restart.
 */
export class RunningRecordings {
  readonly #deps: RunningDeps;
  readonly #active = new Map<string, ActiveRecording>();
  /** Recordings that are being stopped. */
  readonly #stopping = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: RunningDeps) {
    this.#deps = deps;
    deps.io.on('recording:changed', (id) => void this.#stopIfOver(id));
    this.#timer = setInterval(() => void this.#renewAll(), renewMs).unref();
  }

  /** Whether this node is making or stopping this recording. */
  has(id: string): boolean {
    return this.#active.has(id) || this.#stopping.has(id);
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
    this.#active.set(recordingId, recorder.begin(row));
    void notifier.notify(row);
    // The recording may have been ended before it started here.
    await this.#stopIfOver(recordingId);
  }

  /** Call after the transaction that ended the recording. */
  ended(row: RecordingRow): void {
    const { io, isSingleNode, notifier, log } = this.#deps;
    log.info({ recordingId: row.id, endReason: row.endReason }, 'recording ended');
    void notifier.notify(row);
    void this.#stopIfOver(row.id);
    if (!isSingleNode) io.serverSideEmit('recording:changed', row.id);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const { leases, log } = this.#deps;
    await Promise.all(
      [...this.#active].map(async ([id, active]) => {
        this.#active.delete(id);
        this.#stopping.add(id);
        await active.stop();
        await leases.release(id);
      }),
    ).catch((err: unknown) => log.warn({ err }, 'recordings not closed'));
  }

  async #renewAll(): Promise<void> {
    for (const [id, active] of this.#active) {
      try {
        await this.#renew(id, active);
      } catch (err) {
        this.#deps.log.warn({ err, recordingId: id }, 'recording not renewed');
      }
    }
  }

  /** Renews the lease, and stops a recording that has reached a limit. */
  async #renew(id: string, active: ActiveRecording): Promise<void> {
    const row = await this.#deps.leases.keep(id);
    // Another node holds the recording now. What this node has stored stays part of it.
    if (!row) {
      this.#active.delete(id);
      return active.stop();
    }
    if (row.status !== 'recording') return this.#stopIfOver(id);
    await this.#noteLeftOut(id, active);
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
    const { store, leases, log } = this.#deps;
    const active = this.#active.get(id);
    if (!active || this.#stopping.has(id)) return;
    this.#stopping.add(id);
    try {
      if ((await store.find(id))?.status === 'recording') return;
      await active.stop();
      await this.#noteLeftOut(id, active);
      this.#active.delete(id);
      await leases.release(id);
    } catch (err) {
      log.error({ err, recordingId: id }, 'recording not stopped');
    } finally {
      this.#stopping.delete(id);
    }
  }
}
