import type { ParleyServer } from './RequestContext.ts';
import { endSession } from './createIo.ts';

const checkMs = 1_000;
/** More ended sessions than this are not remembered: their tokens expire within the hour. */
const rememberedSessions = 10_000;

/** Events that other nodes missed while this node had no connection to Redis. When Redis is back, devices are asked to load again. */
export class MissedEvents {
  readonly #isBack: () => boolean;
  readonly #endedSessions = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(isBack: () => boolean) {
    this.#isBack = isBack;
  }

  /** An event did not reach the other nodes. @param io the server that sent it */
  lost(io: () => ParleyServer): void {
    this.#timer ??= setInterval(() => {
      if (this.#isBack()) this.#makeGood(io());
    }, checkMs).unref();
  }

  /** A session ended. If other nodes may have missed that, they get it again. */
  ended(sessionId: string): void {
    if (this.#isBack() || this.#endedSessions.size >= rememberedSessions) return;
    this.#endedSessions.add(sessionId);
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #makeGood(io: ParleyServer): void {
    this.close();
    this.#timer = null;
    // Every device of every node: the recipients of the missed events were not recorded.
    io.emit('session:missed', {});
    for (const sessionId of this.#endedSessions) endSession(io, sessionId);
    this.#endedSessions.clear();
  }
}
