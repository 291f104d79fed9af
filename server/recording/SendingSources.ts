import type { PacketCount } from '../../media/roomOperations.ts';
import type { Source } from '../../sdk/protocol/media.ts';

/**
 * How long a claim must stay the same before it counts as settled. Camera and microphone start one after the other but belong in one file.
 */
const settleMs = 700;
/**
 * A source without packets for this long counts as missing. A still screen sends a frame per second, and a silent microphone sends a packet
 * now and then.
 */
const silentMs = 3_000;

/**
 * The sources a participant claims to send, and which of them arrive. Missing sources must not be recorded, because ffmpeg would wait for
 * them and then give up.
 */
export class SendingSources {
  #claimed: ReadonlySet<Source> = new Set();
  #claimedAt = 0;
  readonly #counted = new Map<Source, { packets: number; at: number }>();

  get claimed(): ReadonlySet<Source> {
    return this.#claimed;
  }

  /** Sets the claimed sources. */
  claim(claimed: ReadonlySet<Source>, now: number): void {
    if (isSame(claimed, this.#claimed)) return;
    this.#claimed = claimed;
    this.#claimedAt = now;
  }

  /** Whether the claim has been the same for a moment. */
  isSettled(now: number): boolean {
    return now - this.#claimedAt >= settleMs;
  }

  /**
   * Updates the packet counts.
   * @returns the claimed sources whose counts grow
   */
  count(counts: PacketCount[], now: number): ReadonlySet<Source> {
    for (const { source, packets } of counts) {
      const before = this.#counted.get(source);
      const hasCome = before !== undefined && packets > before.packets;
      this.#counted.set(source, { packets, at: hasCome ? now : (before?.at ?? -Infinity) });
    }
    const isArriving = (source: Source) => now - (this.#counted.get(source)?.at ?? -Infinity) < silentMs;
    return new Set([...this.#claimed].filter(isArriving));
  }

  /** Deletes the counts, because the next ones may follow much later. */
  forget(): void {
    this.#counted.clear();
  }
}

const isSame = (one: ReadonlySet<Source>, other: ReadonlySet<Source>) =>
  one.size === other.size && [...one].every((source) => other.has(source));
