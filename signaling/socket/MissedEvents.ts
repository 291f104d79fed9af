import type { ParleyServer } from './RequestContext.ts';
import { endSession } from './createIo.ts';

const checkMs = 1_000;
/** The maximum number of ended sessions that are remembered. The tokens of any others expire within the hour. */
const rememberedSessions = 10_000;

/** Tracks whether other nodes missed events while this node had no connection to Redis. When Redis is back, devices are asked to reload. */
export class MissedEvents {
  readonly #isBack: () => boolean;
  readonly #endedSessions = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(isBack: () => boolean) {
    this.#isBack = isBack;
  }

  /** Call when an event did not reach the other nodes. @param io the server that sent it */
  lost(io: () => ParleyServer): void {
    this.#timer ??= setInterval(() => {
      if (this.#isBack()) this.#makeGood(io());
    }, checkMs).unref();
  }

  /** Call when a session ends. If other nodes may have missed that, they are told again later. */
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
    // Sent to every device of every node, because the recipients of the missed events were not recorded.
    io.emit('session:missed', {});
    for (const sessionId of this.#endedSessions) endSession(io, sessionId);
    this.#endedSessions.clear();
  }
}
