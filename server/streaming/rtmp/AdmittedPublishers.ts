import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { RtmpPublisher } from './RtmpPublisher.ts';

/** The maximum number of publishers per wallet at this port. Each may need an ffmpeg. */
const limitPerWallet = 20;

/**
 * The publishers admitted at this port. A stream has at most one that is publishing and one that is about to publish, and the number per
 * wallet is limited.
 */
export class AdmittedPublishers {
  readonly #wallets = new Map<RtmpPublisher, string>();

  /** The number of publishers that have not ended. */
  get count(): number {
    return this.#current.length;
  }

  /**
   * Makes room for a new publisher of a stream. The newest one with the right key wins: an older one that has not claimed the stream yet is
   * removed.
   * @throws ParleyError CONFLICT if the wallet publishes too many streams
   */
  makeRoom(streamId: string, wallet: string): void {
    const current = this.#current;
    const older = current.filter((one) => one.streamId === streamId && one.isArriving);
    const others = current.filter((one) => this.#wallets.get(one) === wallet && !older.includes(one));
    if (others.length >= limitPerWallet)
      throw new ParleyError(
        'CONFLICT',
        `This wallet already publishes ${limitPerWallet} streams to this server by RTMP, which is the limit. End one first.`,
      );
    for (const one of older) one.replace();
  }

  add(publisher: RtmpPublisher, wallet: string): void {
    this.#wallets.set(publisher, wallet);
  }

  delete(publisher: RtmpPublisher): void {
    this.#wallets.delete(publisher);
  }

  [Symbol.iterator](): IterableIterator<RtmpPublisher> {
    return this.#wallets.keys();
  }

  get #current(): RtmpPublisher[] {
    return [...this.#wallets.keys()].filter((one) => !one.hasEnded);
  }
}
