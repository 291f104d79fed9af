import { DemandedLayers } from './layers.ts';
import type { Member, Subscription, Publication } from './Member.ts';
import { kindOf } from '../plainRtp.ts';

interface LayerDemandOptions {
  watching: (publication: Publication) => Iterable<Subscription>;
  /** The publisher should send the layers up to `layer`; none if it is -1. */
  onDemand: (publication: Publication, layer: number) => void;
}

/** The minimum time between two measurements of a video's demand that are due to viewers, because hundreds of viewers may come and go. */
const countMs = 200;

/**
 * Computes the layers that publishers have to send, from the sizes at which subscribers show their videos. A video with a single layer is
 * either needed or not. Demand is not measured in calls. Plain RTP peers and WHIP publishers cannot be told which layers are needed, so
 * they always send all of them.
 */
export class LayerDemand {
  readonly #options: LayerDemandOptions;
  readonly #demand = new DemandedLayers();
  readonly #videos = new Map<string, Publication>();
  #timer: NodeJS.Timeout | null = null;
  /** When demand was last measured because of a viewer, by producer id. */
  readonly #counted = new Map<string, number>();
  /** The timer of the next such measurement, by producer id. */
  readonly #toCount = new Map<string, NodeJS.Timeout>();

  constructor(options: LayerDemandOptions) {
    this.#options = options;
  }

  /** @param by the member whose view changed; null for a new publication */
  refresh(publication: Publication, by: Member | null = null): void {
    const { producerId, source, from, isClosed } = publication;
    if (!from.isMultiparty || from.sendsAlways || isClosed || kindOf(source) !== 'video') return;
    if (by?.isViewer) {
      if (this.#toCount.has(producerId)) return;
      const since = performance.now() - (this.#counted.get(producerId) ?? -Infinity);
      if (since < countMs) {
        const again = () => (this.#toCount.delete(producerId), this.refresh(publication, by));
        this.#toCount.set(producerId, setTimeout(again, countMs - since).unref());
        return;
      }
      this.#counted.set(producerId, performance.now());
    }
    this.#count(publication);
  }

  #count(publication: Publication): void {
    this.#videos.set(publication.producerId, publication);
    const highest = publication.layers.length - 1;
    const shown = [...this.#options.watching(publication)].filter(({ isVisible }) => isVisible);
    const wanted = Math.max(-1, ...shown.map(({ layer }) => layer ?? highest));
    const layer = this.#demand.want(publication.producerId, wanted, highest, performance.now());
    if (layer !== null) this.#options.onDemand(publication, layer);
    this.#schedule();
  }

  /** The highest layer that the publisher should send now; null where demand is not measured. */
  wanted(producerId: string): number | null {
    return this.#demand.reported(producerId);
  }

  forget({ producerId }: Publication): void {
    this.#videos.delete(producerId);
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
        for (const { producerId, layer } of this.#demand.due(performance.now())) {
          const publication = this.#videos.get(producerId);
          if (publication) this.#options.onDemand(publication, layer);
        }
        this.#schedule();
      },
      Math.max(0, next - performance.now()),
    ).unref();
  }
}
