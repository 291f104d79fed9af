import type { types } from 'mediasoup';
import { Arrivals } from './Arrivals.ts';
import type { ConsumerScore, RouterProducer, ProducerScore, EmitRouterEvent } from './RoomRouter.ts';

/** Quieter than this is no speech. */
const thresholdDecibel = -60;
/** mediasoup tells the mean of its decibels, which a longer silence around a short word would drown. */
const loudnessMs = 300;
const loudest = 20;
const scoresMs = 1_000;

/** What a router observes of what goes through it: who is loud, and how well packets come through. */
export class AudioLevels {
  readonly #router: types.Router;
  readonly #tell: EmitRouterEvent;
  #loudness: Promise<types.AudioLevelObserver> | null = null;
  readonly #producers = new Map<string, ProducerScore>();
  readonly #arrivals: Arrivals;
  readonly #consumers = new Map<string, ConsumerScore>();
  /** Whose scores have not been told yet. */
  readonly #changed = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  constructor(router: types.Router, tell: EmitRouterEvent) {
    this.#router = router;
    this.#tell = tell;
    this.#arrivals = new Arrivals((id, isArriving) => this.#update(id, { isArriving }));
  }

  async addProducer(
    producer: types.Producer,
    { isSpeech, tellsArrival }: Pick<RouterProducer, 'isSpeech' | 'tellsArrival'>,
  ): Promise<void> {
    // Of simulcast layers, the best: those that are not sent have none.
    producer.on('score', (scores) => {
      const score = Math.max(0, ...scores.map((entry) => entry.score));
      this.#update(producer.id, { score });
    });
    producer.observer.once('close', () => this.#producers.delete(producer.id));
    if (tellsArrival) this.#arrivals.watch(producer);
    if (!isSpeech) return;
    this.#loudness ??= this.#listen();
    const observer = await this.#loudness;
    try {
      if (!producer.closed) await observer.addProducer({ producerId: producer.id });
    } catch (error) {
      // It closed meanwhile.
      if (!producer.closed) throw error;
    }
  }

  addConsumer(consumer: types.Consumer): void {
    const { id } = consumer;
    const update = (change: Partial<ConsumerScore>) => {
      this.#consumers.set(id, { id, score: 10, layer: null, ...this.#consumers.get(id), ...change });
      this.#tellSoon(id);
    };
    consumer.on('score', ({ score }) => update({ score }));
    consumer.on('layerschange', (layers) => update({ layer: layers?.spatialLayer ?? null }));
    consumer.observer.once('close', () => this.#consumers.delete(id));
  }

  close(): void {
    this.#arrivals.close();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #update(id: string, change: Partial<ProducerScore>): void {
    this.#producers.set(id, { id, score: 10, ...this.#producers.get(id), ...change });
    this.#tellSoon(id);
  }

  async #listen(): Promise<types.AudioLevelObserver> {
    const observer = await this.#router.createAudioLevelObserver({
      maxEntries: loudest,
      threshold: thresholdDecibel,
      interval: loudnessMs,
    });
    observer.on('volumes', (volumes) =>
      this.#tell({
        name: 'volumes',
        volumes: volumes.map(({ producer, volume }) => ({ producerId: producer.id, volume })),
      }),
    );
    return observer;
  }

  #tellSoon(id: string): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const producers = [...this.#producers.values()].filter((entry) => this.#changed.has(entry.id));
      const consumers = [...this.#consumers.values()].filter((entry) => this.#changed.has(entry.id));
      this.#changed.clear();
      this.#tell({ name: 'scores', producers, consumers });
    }, scoresMs).unref();
  }
}
