import type { StreamDeps } from './StreamDeps.ts';

const againMs = 1_000;

/**
 * How many watch each stream: counted and told when that changes, once a second at most, whichever nodes they come through. The
 * database keeps when it was told last; a timer here only saves the asking.
 */
export class ViewerCounts {
  readonly #deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>;
  readonly #waiting = new Map<string, NodeJS.Timeout>();
  #closed = false;

  constructor(deps: Pick<StreamDeps, 'store' | 'notifier' | 'log'>) {
    this.#deps = deps;
  }

  /** Somebody came or went. */
  refresh(streamId: string): void {
    if (this.#closed || this.#waiting.has(streamId)) return;
    // A crowd that comes at once is counted once.
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
        (err: unknown) => this.#deps.log.warn({ err, streamId }, 'viewers not counted'),
      );
    };
    this.#waiting.set(streamId, setTimeout(run, inMs).unref());
  }
}
