import type { RtpParameters } from '../../sdk/protocol/media.ts';

export interface Size {
  width: number;
  height: number;
}

/** The layers of a video: the factor by which each is smaller than the full size, the smallest layer first. */
export type Layers = readonly number[];

/** The factor by which a video can be enlarged without a visible loss. */
const stretch = 1.25;

/** The layers of a producer, sent as simulcast or in one stream (L3T3). A producer without layers counts as having one. */
export function layersOf({ encodings = [] }: RtpParameters): Layers {
  const halves = (count: number) => Array.from({ length: count }, (_, index) => 2 ** (count - 1 - index));
  const [first] = encodings;
  if (encodings.length > 1) {
    const scales = encodings.map(({ scaleResolutionDownBy }) => scaleResolutionDownBy);
    return scales.every((scale) => scale !== undefined) ? scales : halves(encodings.length);
  }
  const spatial = Number(/^[LS](\d)T\d/.exec(first?.scalabilityMode ?? '')?.[1] ?? 1);
  return halves(Math.max(1, spatial));
}

/** The smallest layer that still looks sharp at the shown size in physical pixels; the largest layer if none does. */
export function layerFor(shown: Size, full: Size, layers: Layers): number {
  // The whole video is shown within this size, so the smaller ratio decides.
  const needed = Math.min(shown.width / full.width, shown.height / full.height);
  const index = layers.findIndex((scale) => stretch / scale >= needed);
  return index === -1 ? layers.length - 1 : index;
}

const lowerAfterMs = 4_000;

interface Demand {
  layer: number;
  /** A lower layer that is reported at the time `at`, unless demand rises before then. */
  lower: { layer: number; at: number } | null;
}

/**
 * The highest layer that each publisher has to send, which is the highest in use; -1 for none. An increase is reported immediately. A
 * decrease is reported only after a few seconds, because views often change back.
 */
export class DemandedLayers {
  readonly #reported = new Map<string, Demand>();

  /** @returns the layer to report to the publisher now, or null */
  want(producerId: string, layer: number, full: number, now: number): number | null {
    const reported = this.#reported.get(producerId) ?? { layer: full, lower: null };
    this.#reported.set(producerId, reported);
    if (layer >= reported.layer) {
      reported.lower = null;
      if (layer === reported.layer) return null;
      return (reported.layer = layer);
    }
    reported.lower = { layer, at: reported.lower?.at ?? now + lowerAfterMs };
    return this.#due(reported, now);
  }

  /** Decreases in demand that have lasted long enough to be reported. */
  due(now: number): { producerId: string; layer: number }[] {
    return [...this.#reported].flatMap(([producerId, reported]) => {
      const layer = this.#due(reported, now);
      return layer === null ? [] : [{ producerId, layer }];
    });
  }

  /** When the next decrease in demand will have lasted long enough; null if there is none. */
  get next(): number | null {
    const times = [...this.#reported.values()].flatMap(({ lower }) => lower?.at ?? []);
    return times.length > 0 ? Math.min(...times) : null;
  }

  /** The layer reported last, or the highest layer before any report; null where demand is not measured. */
  reported(producerId: string): number | null {
    return this.#reported.get(producerId)?.layer ?? null;
  }

  forget(producerId: string): void {
    this.#reported.delete(producerId);
  }

  #due(reported: Demand, now: number): number | null {
    if (!reported.lower || reported.lower.at > now) return null;
    reported.layer = reported.lower.layer;
    reported.lower = null;
    return reported.layer;
  }
}
