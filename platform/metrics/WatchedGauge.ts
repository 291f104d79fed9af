import { Gauge, type GaugeConfiguration } from 'prom-client';
import { inTime } from '../inTime.ts';

/** How long a part may take to be read. Prometheus gives up after ten seconds, and would then get no metric at all. */
const limitMs = 3_000;

interface Reading<Label extends string> {
  value: number;
  labels?: Partial<Record<Label, string | number>>;
}

type Read<Label extends string> = () => Reading<Label>[] | Promise<Reading<Label>[]>;

/** A gauge whose values are read when metrics are requested, from every part that has registered itself. Values of the same labels add up. */
export class WatchedGauge<Label extends string> extends Gauge<Label> {
  readonly #reads = new Set<Read<Label>>();
  readonly #hasLabels: boolean;

  constructor(configuration: GaugeConfiguration<Label>) {
    super(configuration);
    this.#hasLabels = (configuration.labelNames ?? []).length > 0;
  }

  /** Adds a part. @returns a function that removes it */
  watch(read: Read<Label>): () => void {
    this.#reads.add(read);
    return () => void this.#reads.delete(read);
  }

  override async get(): ReturnType<Gauge<Label>['get']> {
    // All are read before the values are replaced, so that concurrent requests do not add to each other's values.
    const readings = await Promise.all([...this.#reads].map(readOf));
    const known = readings.flatMap((some) => some ?? []);
    this.reset();
    // A gauge without labels is 0 after a reset, but a value that nobody knows is left out.
    if (known.length === 0 && !this.#hasLabels) this.remove();
    for (const { labels = {}, value } of known) this.inc(labels as Record<Label, string>, value);
    return super.get();
  }
}

/** @returns null if the part cannot be read now, for example because the database is away or hangs, which other metrics show */
async function readOf<Label extends string>(read: Read<Label>): Promise<Reading<Label>[] | null> {
  try {
    return await inTime(limitMs, Promise.resolve(read()), () => new Error('not read in time'));
  } catch {
    return null;
  }
}
