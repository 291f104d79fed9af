import type { ParleyServer } from './RequestContext.ts';
import { endSession } from './createIo.ts';

const checkMs = 1_000;
/** More ended sessions than this are not remembered: their tokens end by themselves within the hour. */
const rememberedSessions = 10_000;

/** What this node told, and the others did not hear, because Redis was away from here: it is made good when it is back. */
export class MissedEvents {
  readonly #isBack: () => boolean;
  readonly #endedSessions = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(isBack: () => boolean) {
    this.#isBack = isBack;
  }

  /** Something was not heard. @param io by which it was told */
  lost(io: () => ParleyServer): void {
    this.#timer ??= setInterval(() => {
      if (this.#isBack()) this.#makeGood(io());
    }, checkMs).unref();
  }

  /** A session ended: others hear it once more, if they may not have. */
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
    // Every device of every node: whom the news were for is not known any more.
    io.emit('session:missed', {});
    for (const sessionId of this.#endedSessions) endSession(io, sessionId);
    this.#endedSessions.clear();
  }
}
