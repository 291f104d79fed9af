import { isRtcp } from '../../bench/rooms/rtp.ts';
import { LoadError } from '../report/describeError.ts';
import type { Measures } from '../report/Measures.ts';

/** A pause this long counts as an interruption, also if the server has announced no move. Media has packets every 20 ms. */
const interruptedMs = 1_000;
/** A receiver without a packet for so long at the end has failed. */
const goneMs = 5_000;

/** Measures when the packets of one receiver arrive: the first one, and how long media stops when it moves or breaks. */
export class MediaWatch {
  readonly #measures: Measures;
  readonly #startedAt: number;
  #lastAt: number | null = null;
  #cause: string | null = null;

  /** @param startedAt when the receiver began to join */
  constructor(measures: Measures, startedAt: number) {
    this.#measures = measures;
    this.#startedAt = startedAt;
  }

  /** How long nothing has arrived, in milliseconds. */
  get silentMs(): number {
    return performance.now() - (this.#lastAt ?? this.#startedAt);
  }

  /** The receiver joins again: the gap until the first packet on the new transport is a recovery. */
  moves(cause: string): void {
    this.#measures.count(`moves (${cause})`);
    this.#cause = cause;
  }

  /** @param isCurrent whether the packet arrived on the newest transport */
  take(packet: Buffer, isCurrent: boolean): void {
    if (isRtcp(packet)) return;
    const now = performance.now();
    if (this.#lastAt === null) this.#measures.time('first packet', now - this.#startedAt);
    else if (this.#cause !== null && isCurrent) {
      this.#measures.time('recovery', now - this.#lastAt);
      this.#cause = null;
    } else if (this.#cause === null && now - this.#lastAt >= interruptedMs)
      this.#measures.time('interruption', now - this.#lastAt);
    this.#lastAt = now;
  }

  /**
   * Called at the end for a receiver to whom media was sent.
   * @param since when it was first sent
   */
  end(since = -Infinity): void {
    if (Math.min(this.silentMs, performance.now() - since) < goneMs) return;
    const code = this.#lastAt === null ? 'no_media' : 'media_stopped';
    this.#measures.fail('media', new LoadError(code, `nothing arrived for more than ${goneMs / 1_000} s`));
  }
}
