import type { StreamDeps } from './StreamDeps.ts';

/** Viewers who arrive together are counted together. */
const togetherMs = 50;
/** When a count that failed is made again. */
const retryMs = 2_000;

interface Waiting {
  timer: NodeJS.Timeout;
  /** When the change that is to be counted happened: see WatchingStore.count(). */
  changedAt: string | null;
}

/**
 * Counts the viewers of each stream across all nodes, and reports changes at most once a second, and less often
 * above 10,000 viewers. The database stores when the viewers were counted; the timers here only save queries.
 */
export class ViewerCounts {
  readonly #deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>;
  /** By stream. */
  readonly #waiting = new Map<string, Waiting>();
  /** Streams whose count failed: it may have been stored without being reported. */
  readonly #doubtful = new Set<string>();
  #closed = false;

  constructor(deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>) {
    this.#deps = deps;
  }

  /** Call when a viewer has joined or left. */
  refresh(streamId: string): void {
    const waiting = this.#waiting.get(streamId);
    if (waiting) waiting.changedAt = null;
    else this.#schedule(streamId, togetherMs, null);
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #schedule(streamId: string, inMs: number, changedAt: string | null): void {
    if (this.#closed) return;
    const run = () => {
      const waiting = this.#waiting.get(streamId);
      this.#waiting.delete(streamId);
      this.#count(streamId, waiting?.changedAt ?? null).catch((err: unknown) => {
        // Once for each outage.
        if (!this.#doubtful.has(streamId))
          this.#deps.log.warn({ err, streamId }, 'viewer count not updated yet');
        this.#doubtful.add(streamId);
        if (!this.#waiting.has(streamId)) this.#schedule(streamId, retryMs, null);
      });
    };
    this.#waiting.set(streamId, { timer: setTimeout(run, inMs).unref(), changedAt });
  }

  async #count(streamId: string, changedAt: string | null): Promise<void> {
    const { store, notifier } = this.#deps;
    const { counted, again } = await store.watchings.count(streamId, changedAt);
    if (counted && (counted.isNew || this.#doubtful.has(streamId)))
      notifier.count({ id: streamId, host: counted.host }, counted.viewers);
    if (!again) this.#doubtful.delete(streamId);
    // If another node counts at this moment, it is too early to try again at once.
    if (again && !this.#waiting.has(streamId))
      this.#schedule(streamId, Math.max(again.inMs, togetherMs), again.changedAt);
  }
}
