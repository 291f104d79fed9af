import type { types } from 'mediasoup';
import type { ReportTimes } from './ReportTimes.ts';
import type { ConsumerScore, RouterProducer, Score, EmitRouterEvent } from './routerOperations.ts';

/** Sound quieter than this does not count as speech. */
const thresholdDecibel = -60;
/** mediasoup reports the mean loudness over this period. Over a longer one, the silence around a short word would hide it. */
export const loudnessMs = 300;
const loudest = 20;
const scoresMs = 1_000;

/** Observes the media of a router: loudness, and the quality of producers and consumers. */
export class AudioLevels {
  readonly #router: types.Router;
  readonly #emit: EmitRouterEvent;
  readonly #reportTimes: ReportTimes;
  #loudness: Promise<types.AudioLevelObserver> | null = null;
  readonly #producers = new Map<string, Score>();
  readonly #consumers = new Map<string, ConsumerScore>();
  /** Producers and consumers whose scores are not reported yet. */
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  /** @param reportTimes those of the router's worker */
  constructor(router: types.Router, emit: EmitRouterEvent, reportTimes: ReportTimes) {
    this.#router = router;
    this.#emit = emit;
    this.#reportTimes = reportTimes;
  }

  async addProducer(producer: types.Producer, { isSpeech }: Pick<RouterProducer, 'isSpeech'>): Promise<void> {
    // The best score of all simulcast layers, because layers that are not sent have none.
    producer.on('score', (scores) => {
      const { id } = producer;
      this.#producers.set(id, { id, score: Math.max(0, ...scores.map((entry) => entry.score)) });
      this.#emitSoon(id);
    });
    producer.observer.once('close', () => this.#producers.delete(producer.id));
    if (!isSpeech) return;
    this.#loudness ??= this.#listen();
    const observer = await this.#loudness;
    try {
      if (!producer.closed) await observer.addProducer({ producerId: producer.id });
    } catch (error) {
      // The producer closed in the meantime.
      if (!producer.closed) throw error;
    }
  }

  addConsumer(consumer: types.Consumer): void {
    const { id } = consumer;
    const update = (change: Partial<ConsumerScore>) => {
      this.#consumers.set(id, { id, score: 10, layer: null, ...this.#consumers.get(id), ...change });
      this.#emitSoon(id);
    };
    consumer.on('score', ({ score }) => update({ score }));
    consumer.on('layerschange', (layers) => update({ layer: layers?.spatialLayer ?? null }));
    consumer.observer.once('close', () => this.#consumers.delete(id));
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #listen(): Promise<types.AudioLevelObserver> {
    const observer = await this.#router.createAudioLevelObserver({
      maxEntries: loudest,
      threshold: thresholdDecibel,
      interval: loudnessMs,
    });
    observer.on('volumes', (volumes) => {
      this.#reportTimes.reported(observer);
      this.#emit({
        name: 'volumes',
        volumes: volumes.map(({ producer, volume }) => ({ producerId: producer.id, volume })),
      });
    });
    return observer;
  }

  #emitSoon(id: string): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const producers = [...this.#producers.values()].filter((entry) => this.#changed.has(entry.id));
      const consumers = [...this.#consumers.values()].filter((entry) => this.#changed.has(entry.id));
      this.#changed.clear();
      this.#emit({ name: 'scores', producers, consumers });
    }, scoresMs).unref();
  }
}
