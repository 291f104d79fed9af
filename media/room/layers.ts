import type { RtpParameters } from '../../sdk/protocol/media.ts';

export interface Size {
  width: number;
  height: number;
}

/** What a picture is sent in: by how much each layer is smaller than the full one, the smallest first. */
export type Layers = readonly number[];

/** A picture may be shown a quarter larger than it is before anybody sees that. */
const stretch = 1.25;

/** The layers a producer has, in simulcast or in one stream (L3T3); one where it has no more. */
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

/** The smallest layer that still looks sharp where it is shown, in real pixels; the full one where none is. */
export function layerFor(shown: Size, full: Size, layers: Layers): number {
  // The size is the whole picture's, so the tighter side decides.
  const needed = Math.min(shown.width / full.width, shown.height / full.height);
  const index = layers.findIndex((scale) => stretch / scale >= needed);
  return index === -1 ? layers.length - 1 : index;
}

const lowerAfterMs = 4_000;

interface Told {
  layer: number;
  /** A lower one that is to be told if nobody wants more meanwhile. */
  lower: { layer: number; at: number } | null;
}

/**
 * Which layers a publisher has to send: up to the highest anybody looks at, -1 for none. More is said at once; less only after a
 * while, since whoever looks away often looks back.
 */
export class DemandedLayers {
  readonly #told = new Map<string, Told>();

  /** @returns what the publisher has to be told now, or null */
  want(producerId: string, layer: number, full: number, now: number): number | null {
    const told = this.#told.get(producerId) ?? { layer: full, lower: null };
    this.#told.set(producerId, told);
    if (layer >= told.layer) {
      told.lower = null;
      if (layer === told.layer) return null;
      return (told.layer = layer);
    }
    told.lower = { layer, at: told.lower?.at ?? now + lowerAfterMs };
    return this.#due(told, now);
  }

  /** What has been wanted less for long enough, by producer. */
  due(now: number): { producerId: string; layer: number }[] {
    return [...this.#told].flatMap(([producerId, told]) => {
      const layer = this.#due(told, now);
      return layer === null ? [] : [{ producerId, layer }];
    });
  }

  /** When something is due next. */
  get next(): number | null {
    const times = [...this.#told.values()].flatMap(({ lower }) => lower?.at ?? []);
    return times.length > 0 ? Math.min(...times) : null;
  }

  /** What the publisher was told last, or sends without having been told; null where nobody counts. */
  told(producerId: string): number | null {
    return this.#told.get(producerId)?.layer ?? null;
  }

  forget(producerId: string): void {
    this.#told.delete(producerId);
  }

  #due(told: Told, now: number): number | null {
    if (!told.lower || told.lower.at > now) return null;
    told.layer = told.lower.layer;
    told.lower = null;
    return told.layer;
  }
}
