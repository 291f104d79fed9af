import type { ParleyServer } from './RequestContext.ts';
import { endSession } from './createIo.ts';

const checkMs = 1_000;
/** If events are lost again so soon after devices were asked to reload, the next time waits twice as long as the one before. */
const againMs = 30_000;
const longestWaitMs = 30_000;
/** The maximum number of ended sessions that are remembered. The tokens of any others expire within the hour. */
const rememberedSessions = 10_000;
/**
 * How long an ended session is remembered at least. A silent connection to Redis is noticed, and what was sent on it is reported as lost, after
 * up to ten seconds.
 */
const rememberedMs = 30_000;

/** Tracks whether other nodes missed events while this node had no connection to Redis. When Redis is back, devices are asked to reload. */
export class MissedEvents {
  readonly #isBack: () => boolean;
  /** The sessions that ended lately, oldest first, with the times of their ends by performance.now(). */
  readonly #ended = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  /** When devices were last asked to reload, by performance.now(). */
  #toldAt = -Infinity;
  /** The time from a loss until devices are asked to reload, if Redis is back by then. */
  #waitMs = checkMs;

  constructor(isBack: () => boolean) {
    this.#isBack = isBack;
  }

  /** Call when an event did not reach the other nodes. @param io the server that sent it */
  lost(io: () => ParleyServer): void {
    if (this.#timer) return;
    this.#forget();
    // All devices reload each time. A Redis that answers but loses events would have them do so every second.
    const isAgain = performance.now() - this.#toldAt < againMs;
    this.#waitMs = isAgain ? Math.min(this.#waitMs * 2, longestWaitMs) : checkMs;
    let leftMs = this.#waitMs;
    this.#timer = setInterval(() => {
      leftMs -= checkMs;
      if (leftMs <= 0 && this.#isBack()) this.#makeGood(io());
    }, checkMs).unref();
  }

  /** Call when a session ends. If other nodes may have missed that, they are told again later. */
  ended(sessionId: string): void {
    this.#ended.delete(sessionId);
    this.#ended.set(sessionId, performance.now());
    this.#forget();
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Forgets sessions whose ends have reached the other nodes, and the oldest one if there are too many. */
  #forget(): void {
    for (const [sessionId, endedAt] of this.#ended) {
      const hasArrived = !this.#timer && performance.now() - endedAt > rememberedMs;
      if (!hasArrived && this.#ended.size <= rememberedSessions) return;
      this.#ended.delete(sessionId);
    }
  }

  #makeGood(io: ParleyServer): void {
    this.close();
    this.#timer = null;
    this.#toldAt = performance.now();
    // Sent to every device of every node, because the recipients of the missed events were not recorded.
    io.emit('session:missed', {});
    for (const sessionId of [...this.#ended.keys()]) {
      endSession(io, sessionId);
      // This may be lost as well.
      this.#ended.set(sessionId, performance.now());
    }
  }
}
