import type { types } from 'mediasoup';

const askMs = 1_000;
/** Half a group of pictures' worth of silence is no pause yet; what is muted still sends now and then. */
const silentMs = 3_000;

interface Watched {
  producer: types.Producer;
  packets: number;
  /** When the last ones came. */
  at: number;
  isArriving: boolean;
}

/** Whether packets come in, which mediasoup tells of simulcast alone: it is asked for what it has counted. */
export class Arrivals {
  readonly #tell: (producerId: string, isArriving: boolean) => void;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | null = null;

  constructor(tell: (producerId: string, isArriving: boolean) => void) {
    this.#tell = tell;
  }

  watch(producer: types.Producer): void {
    this.#watched.set(producer.id, { producer, packets: 0, at: -Infinity, isArriving: false });
    producer.observer.once('close', () => this.#watched.delete(producer.id));
    this.#timer ??= setInterval(() => {
      for (const watched of this.#watched.values()) void this.#ask(watched);
    }, askMs).unref();
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #ask(watched: Watched): Promise<void> {
    const { producer } = watched;
    const packets = await packetsOf(producer);
    if (packets === null) return;
    const now = performance.now();
    if (packets !== watched.packets) Object.assign(watched, { packets, at: now });
    const isArriving = now - watched.at < silentMs;
    if (isArriving === watched.isArriving) return;
    watched.isArriving = isArriving;
    this.#tell(producer.id, isArriving);
  }
}

/** That have come in so far. @returns null when it closed, or its worker died: then others say so */
export async function packetsOf(producer: types.Producer): Promise<number | null> {
  const stats = await producer.getStats().catch(() => null);
  if (!stats || producer.closed) return null;
  return stats.reduce((sum, { packetCount }) => sum + packetCount, 0);
}
