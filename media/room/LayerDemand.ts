import { LayerDemand } from './layers.ts';
import type { Member, Reception, Sent } from './Member.ts';
import { kindOf } from '../plainRtp.ts';

interface PictureDemandOptions {
  watching: (sent: Sent) => Iterable<Reception>;
  /** A publisher is to send the layers up to this one; none where it is -1. */
  onDemand: (sent: Sent, layer: number) => void;
}

/** An audience comes and goes by the hundred: then it is counted this often. */
const countMs = 200;

/**
 * What publishers have to send, by who looks at it: of a picture in one layer, all or nothing. In a call everything is looked at.
 * Programs and WHIP publishers can't be told, and send on.
 */
export class PictureDemand {
  readonly #options: PictureDemandOptions;
  readonly #demand = new LayerDemand();
  readonly #pictures = new Map<string, Sent>();
  #timer: NodeJS.Timeout | null = null;
  /** When pictures were counted last for somebody who looks on, and which are to be counted again. */
  readonly #counted = new Map<string, number>();
  readonly #toCount = new Map<string, NodeJS.Timeout>();

  constructor(options: PictureDemandOptions) {
    this.#options = options;
  }

  /** @param by who looks otherwise than before; nobody, where it is new */
  refresh(sent: Sent, by: Member | null = null): void {
    if (!sent.from.isCrowd || sent.isClosed || kindOf(sent.source) !== 'video') return;
    const { producerId } = sent;
    if (by?.isAudience) {
      if (this.#toCount.has(producerId)) return;
      const since = Date.now() - (this.#counted.get(producerId) ?? 0);
      if (since < countMs) {
        const again = () => (this.#toCount.delete(producerId), this.refresh(sent, by));
        this.#toCount.set(producerId, setTimeout(again, countMs - since).unref());
        return;
      }
      this.#counted.set(producerId, Date.now());
    }
    this.#count(sent);
  }

  #count(sent: Sent): void {
    this.#pictures.set(sent.producerId, sent);
    const highest = sent.layers.length - 1;
    const shown = [...this.#options.watching(sent)].filter(({ isVisible }) => isVisible);
    const wanted = Math.max(-1, ...shown.map(({ layer }) => layer ?? highest));
    const layer = this.#demand.want(sent.producerId, wanted, highest, Date.now());
    if (layer !== null) this.#options.onDemand(sent, layer);
    this.#schedule();
  }

  /** The highest layer its publisher is to send, as it was told or by itself; null where nobody counts. */
  wanted(producerId: string): number | null {
    return this.#demand.told(producerId);
  }

  forget({ producerId }: Sent): void {
    this.#pictures.delete(producerId);
    this.#demand.forget(producerId);
    clearTimeout(this.#toCount.get(producerId));
    this.#toCount.delete(producerId);
    this.#counted.delete(producerId);
  }

  close(): void {
    for (const timer of this.#toCount.values()) clearTimeout(timer);
    this.#toCount.clear();
    this.#stop();
  }

  #stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    this.#stop();
    const { next } = this.#demand;
    if (next === null) return;
    this.#timer = setTimeout(
      () => {
        for (const { producerId, layer } of this.#demand.due(Date.now())) {
          const sent = this.#pictures.get(producerId);
          if (sent) this.#options.onDemand(sent, layer);
        }
        this.#schedule();
      },
      Math.max(0, next - Date.now()),
    ).unref();
  }
}
