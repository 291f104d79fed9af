import { LayerDemand } from './layers.ts';
import type { Reception, Sent } from './Member.ts';

interface PictureDemandOptions {
  watching: (sent: Sent) => Iterable<Reception>;
  /** A publisher is to send the layers up to this one; none where it is -1. */
  onDemand: (sent: Sent, layer: number) => void;
}

/** What publishers have to send, by who looks at it. In a call everything is looked at. */
export class PictureDemand {
  readonly #options: PictureDemandOptions;
  readonly #demand = new LayerDemand();
  readonly #pictures = new Map<string, Sent>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: PictureDemandOptions) {
    this.#options = options;
  }

  refresh(sent: Sent): void {
    if (!sent.from.isCrowd || sent.isClosed || sent.layers.length < 2) return;
    this.#pictures.set(sent.producerId, sent);
    const highest = sent.layers.length - 1;
    const shown = [...this.#options.watching(sent)].filter(({ isVisible }) => isVisible);
    const wanted = Math.max(-1, ...shown.map(({ layer }) => layer ?? highest));
    const layer = this.#demand.want(sent.producerId, wanted, highest, Date.now());
    if (layer !== null) this.#options.onDemand(sent, layer);
    this.#schedule();
  }

  forget({ producerId }: Sent): void {
    this.#pictures.delete(producerId);
    this.#demand.forget(producerId);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #schedule(): void {
    this.close();
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
