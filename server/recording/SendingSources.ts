import type { PacketCount } from '../../media/MediaCluster.ts';
import type { Source } from '../../sdk/protocol/media.ts';

/** Camera and microphone begin one after the other: they are one film. */
const settleMs = 700;
/** A screen that stands still sends a picture a second, a microphone that hears nothing a packet now and then. */
const silentMs = 3_000;

/** What somebody is to be sending, and what of it really comes: ffmpeg would wait for the rest in vain, and give up. */
export class SendingSources {
  #claimed: ReadonlySet<Source> = new Set();
  #claimedAt = 0;
  readonly #counted = new Map<Source, { packets: number; at: number }>();

  get claimed(): ReadonlySet<Source> {
    return this.#claimed;
  }

  /** What it is to be sending now. */
  claim(claimed: ReadonlySet<Source>, now: number): void {
    if (isSame(claimed, this.#claimed)) return;
    this.#claimed = claimed;
    this.#claimedAt = now;
  }

  /** Whether that has been the same for a moment. */
  isSettled(now: number): boolean {
    return now - this.#claimedAt >= settleMs;
  }

  /** How many packets have come so far. @returns those of which more come with time */
  count(counts: PacketCount[], now: number): ReadonlySet<Source> {
    for (const { source, packets } of counts) {
      const before = this.#counted.get(source);
      const hasCome = before !== undefined && packets > before.packets;
      this.#counted.set(source, { packets, at: hasCome ? now : (before?.at ?? -Infinity) });
    }
    const isArriving = (source: Source) => now - (this.#counted.get(source)?.at ?? -Infinity) < silentMs;
    return new Set([...this.#claimed].filter(isArriving));
  }

  /** Nobody counts for a while. */
  forget(): void {
    this.#counted.clear();
  }
}

const isSame = (one: ReadonlySet<Source>, other: ReadonlySet<Source>) =>
  one.size === other.size && [...one].every((source) => other.has(source));
