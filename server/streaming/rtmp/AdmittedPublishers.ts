import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { RtmpPublisher } from './RtmpPublisher.ts';

/** At this port: each may cost an ffmpeg, and nobody needs more from one server. */
const mostOfWallet = 20;

/** The publishers this port has let in: of each stream one that publishes and one that is about to, and so many of a wallet. */
export class AdmittedPublishers {
  readonly #wallets = new Map<RtmpPublisher, string>();

  /** Those that have not ended. */
  get count(): number {
    return this.#current.length;
  }

  /**
   * For one more of a stream: the newest with the right key wins, so another that has not taken the stream over yet is sent away.
   * @throws ParleyError CONFLICT when the wallet publishes too many streams
   */
  makeRoom(streamId: string, wallet: string): void {
    const current = this.#current;
    const older = current.filter((one) => one.streamId === streamId && one.isArriving);
    const others = current.filter((one) => this.#wallets.get(one) === wallet && !older.includes(one));
    if (others.length >= mostOfWallet)
      throw new ParleyError(
        'CONFLICT',
        `This wallet publishes ${mostOfWallet} streams to this server by RTMP, the most it may: end one first.`,
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
