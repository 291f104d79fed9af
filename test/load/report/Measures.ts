import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { describeError } from './describeError.ts';

/** Milliseconds. */
export interface Times {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export interface Failure {
  what: string;
  /** The reason of the server's error, or the code of a network error. */
  code: string;
  message: string;
  count: number;
  /** What the operator can set. */
  hint?: string;
}

export interface ScenarioReport {
  times: Record<string, Times>;
  counts: Record<string, number>;
  /** The packets that arrived and those that are missing; absent without media. */
  packets?: { received: number; lost: number; lossPercent: number };
  failures: Failure[];
}

const microseconds = 1_000;

/** What one scenario has measured. The size does not depend on the number of samples. */
export class Measures {
  readonly #times = new Map<string, RecordableHistogram>();
  readonly #failures = new Map<string, Failure>();
  readonly #counts = new Map<string, number>();
  #received = 0;
  #lost = 0;

  time(name: string, ms: number): void {
    const histogram = this.#times.get(name) ?? createHistogram();
    this.#times.set(name, histogram);
    histogram.record(Math.max(1, Math.round(ms * microseconds)));
  }

  count(name: string, by = 1): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
  }

  packets(received: number, lost: number): void {
    this.#received += received;
    this.#lost += lost;
  }

  fail(what: string, error: unknown): void {
    const described = describeError(what, error);
    const key = `${what} ${described.code}`;
    const known = this.#failures.get(key);
    if (known) known.count++;
    else this.#failures.set(key, { what, count: 1, ...described });
  }

  /**
   * Does something and measures it.
   * @returns undefined if it failed, which is counted
   */
  async attempt<T>(what: string, work: () => Promise<T>, since = performance.now()): Promise<T | undefined> {
    try {
      const result = await work();
      this.time(what, performance.now() - since);
      return result;
    } catch (error) {
      this.fail(what, error);
      return undefined;
    }
  }

  get report(): ScenarioReport {
    const all = this.#received + this.#lost;
    const lossPercent = Number(((100 * this.#lost) / all).toFixed(3));
    return {
      times: Object.fromEntries([...this.#times].map(([name, histogram]) => [name, timesOf(histogram)])),
      counts: Object.fromEntries(this.#counts),
      ...(all > 0 ? { packets: { received: this.#received, lost: this.#lost, lossPercent } } : {}),
      failures: [...this.#failures.values()],
    };
  }
}

function timesOf(histogram: RecordableHistogram): Times {
  const inMs = (value: number) => Number((value / microseconds).toFixed(2));
  const at = (percent: number) => inMs(histogram.percentile(percent));
  return { count: histogram.count, p50: at(50), p95: at(95), p99: at(99), max: inMs(histogram.max) };
}
