import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { GeneratorWatch } from './report/GeneratorWatch.ts';
import { LoadError } from './report/describeError.ts';
import type { Measures } from './report/Measures.ts';
import type { Options } from './options.ts';

/** Something that sends packets at its times. */
export interface Ticking {
  tick(now: number): void;
}

const tickMs = 5;
const maxUnanswered = 5_000;

/** One run of the generator: its time, its ramp, and the clock of its media. */
export class Run {
  readonly options: Options;
  /** The origin of the server. */
  readonly url: string;
  /** The local address of media; null for all. */
  readonly bindAddress: string | null;
  /** Aborted when the load ends: after its time, or by Ctrl-C. */
  readonly over: AbortSignal;
  readonly #generator: GeneratorWatch;
  readonly #ticking = new Set<Ticking>();
  readonly #timer: NodeJS.Timeout;
  readonly #startedAt = performance.now();

  constructor(
    options: Options,
    {
      bindAddress,
      over,
      generator,
    }: { bindAddress: string | null; over: AbortSignal; generator: GeneratorWatch },
  ) {
    this.options = options;
    this.url = options.server.origin;
    this.bindAddress = bindAddress;
    this.over = over;
    // Every call waits for the end.
    setMaxListeners(0, over);
    this.#generator = generator;
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      if (this.#ticking.size > 0) generator.behind(now - last - tickMs, now - last);
      last = now;
      for (const each of this.#ticking) each.tick(now);
    }, tickMs);
  }

  get isOver(): boolean {
    return this.over.aborted;
  }

  /** Calls tick() of this every few milliseconds, until leave(). */
  enter(ticking: Ticking): void {
    this.#ticking.add(ticking);
  }

  leave(ticking: Ticking): void {
    this.#ticking.delete(ticking);
  }

  /** Waits until the load ends. */
  untilOver(): Promise<void> {
    return this.pause(2 ** 31 - 1);
  }

  /** Waits this long, or until the load ends. */
  pause(ms: number): Promise<void> {
    return delay(ms, undefined, { signal: this.over }).catch(() => undefined);
  }

  /** Starts this many things, spread over the ramp. Resolves when all of them have started or the load is over. */
  async ramp(count: number, start: (index: number) => Promise<void>): Promise<void> {
    const rampMs = this.options.ramp * 1_000;
    const started: Promise<void>[] = [];
    for (let index = 0; index < count; index++) {
      const waitMs = this.#startedAt + (index / count) * rampMs - performance.now();
      if (waitMs > 0) await this.pause(waitMs);
      if (this.isOver) break;
      started.push(start(index));
    }
    await Promise.all(started);
  }

  /**
   * Sends at a rate that grows over the ramp, without waiting for answers. Resolves when the load is over and all answers are there.
   * @param send gets the time at which it was due, from which latency is measured
   */
  async atRate(
    perSecond: number,
    { measures, what }: { measures: Measures; what: string },
    send: (index: number, dueAt: number) => Promise<unknown>,
  ): Promise<void> {
    const startedAt = performance.now();
    const rampMs = Math.max(0, this.options.ramp * 1_000 - (startedAt - this.#startedAt));
    const perMs = perSecond / 1_000;
    const inRamp = (perMs * rampMs) / 2;
    const dueAfter = (index: number) =>
      index < inRamp ? Math.sqrt((2 * index * rampMs) / perMs) : rampMs / 2 + index / perMs;
    const unanswered = new Set<Promise<unknown>>();
    let last = startedAt;
    for (let index = 0; ;) {
      const now = performance.now();
      this.#generator.behind(now - startedAt - dueAfter(index), now - last);
      last = now;
      for (; startedAt + dueAfter(index) <= now; index++) {
        if (unanswered.size >= maxUnanswered) {
          measures.fail(what, tooMany());
          continue;
        }
        const sent = send(index, startedAt + dueAfter(index)).finally(() => unanswered.delete(sent));
        unanswered.add(sent);
      }
      await this.pause(Math.min(tickMs * 20, Math.max(1, startedAt + dueAfter(index) - performance.now())));
      if (this.isOver) break;
    }
    await Promise.all(unanswered);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const tooMany = () => new LoadError('not_sent', `not sent: ${maxUnanswered} others had no answer yet`);
