import type { StreamDeps } from './StreamDeps.ts';

/** Viewers who arrive together are counted together. */
const togetherMs = 50;
const afterFailureMs = 5_000;

interface Waiting {
  timer: NodeJS.Timeout;
  /** See WatchingStore.claimCount(). */
  seen: string | null;
}

/**
 * Counts the viewers of each stream across all nodes, and reports changes at most once a second, or once in n seconds with n times 10,000
 * viewers. The database stores when the viewers were counted; the timers here only save queries.
 */
export class ViewerCounts {
  readonly #deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>;
  /** By stream. */
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>) {
    this.#deps = deps;
  }

  /** Call when a viewer has joined or left. */
  refresh(streamId: string): void {
    const waiting = this.#waiting.get(streamId);
    if (waiting) waiting.seen = null;
    else this.#schedule(streamId, togetherMs, null);
  }

  close(): void {
    this.#closed = true;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  #schedule(streamId: string, inMs: number, seen: string | null): void {
    if (this.#closed) return;
    const run = () => {
      const waiting = this.#waiting.get(streamId);
      this.#waiting.delete(streamId);
      this.#count(streamId, waiting?.seen ?? null).catch((err: unknown) => {
        this.#deps.log.warn({ err, streamId }, 'viewer count not updated');
        // Other nodes rely on a count that was claimed.
        if (!this.#waiting.has(streamId)) this.#schedule(streamId, afterFailureMs, null);
      });
    };
    this.#waiting.set(streamId, { timer: setTimeout(run, inMs).unref(), seen });
  }

  async #count(streamId: string, seen: string | null): Promise<void> {
    const { store, notifier } = this.#deps;
    const { claimed, again } = await store.watchings.claimCount(streamId, seen);
    if (again && !this.#waiting.has(streamId)) this.#schedule(streamId, again.inMs, again.seen);
    if (claimed === null) return;
    const changed = await store.watchings.count(streamId, claimed);
    if (changed !== null) notifier.count(await store.stream(streamId), changed);
  }
}
