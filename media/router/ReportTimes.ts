import type { types } from 'mediasoup';

/** How long the observer that sets the times may be silent until another one does. */
const silentMs = 1_000;
/** Reports with less time between them count as simultaneous. */
const togetherMs = 5;

/**
 * Lets the loudness observers of one worker report at the same times, so that their reports wake up this process together. Each observer
 * has a timer of its own in the worker, which begins with the room.
 *
 * The first observer that reports sets the times. Another one that reports at other times is paused until the next report of the first,
 * so its timer begins then. That happens once, because on a busy node reports seem to come at other times than they do.
 */
export class ReportTimes {
  readonly #periodMs: number;
  #first: types.AudioLevelObserver | null = null;
  #firstReportedAt = -Infinity;
  readonly #moved = new WeakSet<types.AudioLevelObserver>();
  readonly #paused = new Map<types.AudioLevelObserver, NodeJS.Timeout>();

  /** @param periodMs the time between two reports of an observer */
  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Call with each report. */
  reported(observer: types.AudioLevelObserver): void {
    const now = performance.now();
    const sinceMs = now - this.#firstReportedAt;
    if (sinceMs > silentMs || this.#first?.closed) this.#first = observer;
    if (observer === this.#first) {
      this.#firstReportedAt = now;
      for (const other of this.#paused.keys()) this.#resume(other);
      return;
    }
    if (this.#moved.has(observer)) return;
    const offMs = sinceMs % this.#periodMs;
    if (Math.min(offMs, this.#periodMs - offMs) > togetherMs) this.#pause(observer);
  }

  #pause(observer: types.AudioLevelObserver): void {
    this.#moved.add(observer);
    // The first observer reports only while somebody speaks.
    const timer = setTimeout(() => this.#resume(observer), this.#periodMs).unref();
    this.#paused.set(observer, timer);
    // It fails if the room closes in the meantime.
    observer.pause().catch(() => undefined);
  }

  #resume(observer: types.AudioLevelObserver): void {
    clearTimeout(this.#paused.get(observer));
    this.#paused.delete(observer);
    observer.resume().catch(() => undefined);
  }
}
