import type { StreamDeps } from './StreamDeps.ts';

const againMs = 1_000;

/**
 * Counts the viewers of each stream across all nodes, and reports changes at most once a second. The database stores the time of
 * the last report; the timers here only save queries.
 */
export class ViewerCounts {
  readonly #deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>;
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  #closed = false;

  constructor(deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>) {
    this.#deps = deps;
  }

  /** Call when a viewer has joined or left. */
  refresh(streamId: string): void {
    if (this.#closed || this.#waiting.has(streamId)) return;
    // Viewers who arrive together are counted together.
    this.#schedule(streamId, 50);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  async count(streamId: string): Promise<{ isBehind: boolean }> {
    const { store, notifier } = this.#deps;
    const { changed, isBehind } = await store.watchings.count(streamId);
    if (changed !== null) notifier.count(await store.stream(streamId), changed);
    return { isBehind };
  }

  #schedule(streamId: string, inMs: number): void {
    const run = () => {
      this.#waiting.delete(streamId);
      this.count(streamId).then(
        ({ isBehind }) => {
          if (isBehind && !this.#closed && !this.#waiting.has(streamId)) this.#schedule(streamId, againMs);
        },
        (err: unknown) => this.#deps.log.warn({ err, streamId }, 'viewer count not updated'),
      );
    };
    this.#waiting.set(streamId, setTimeout(run, inMs).unref());
  }
}
