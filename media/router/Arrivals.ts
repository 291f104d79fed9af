import type { types } from 'mediasoup';

const pollMs = 1_000;
/**
 * The time without packets after which a producer counts as silent. It is longer than the gaps between the occasional packets of a muted
 * source.
 */
const silenceMs = 3_000;

interface Watched {
  producer: types.Producer;
  packets: number;
  /** When the number of packets last changed. */
  at: number;
  isArriving: boolean;
}

/** Reports whether packets of producers arrive. mediasoup reports this only for simulcast, so its packet counts are polled. */
export class Arrivals {
  readonly #emit: (producerId: string, isArriving: boolean) => void;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | null = null;

  constructor(emit: (producerId: string, isArriving: boolean) => void) {
    this.#emit = emit;
  }

  watch(producer: types.Producer): void {
    this.#watched.set(producer.id, { producer, packets: 0, at: -Infinity, isArriving: false });
    producer.observer.once('close', () => this.#watched.delete(producer.id));
    this.#timer ??= setInterval(() => {
      for (const watched of this.#watched.values()) void this.#poll(watched);
    }, pollMs).unref();
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #poll(watched: Watched): Promise<void> {
    const { producer } = watched;
    const packets = await packetsOf(producer);
    if (packets === null) return;
    const now = performance.now();
    if (packets !== watched.packets) Object.assign(watched, { packets, at: now });
    const isArriving = now - watched.at < silenceMs;
    if (isArriving === watched.isArriving) return;
    watched.isArriving = isArriving;
    this.#emit(producer.id, isArriving);
  }
}

/** The number of packets received so far. @returns null when the producer or its worker is gone, which other events report */
export async function packetsOf(producer: types.Producer): Promise<number | null> {
  const stats = await producer.getStats().catch(() => null);
  if (!stats || producer.closed) return null;
  return stats.reduce((sum, { packetCount }) => sum + packetCount, 0);
}
