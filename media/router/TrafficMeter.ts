import type { types } from 'mediasoup';
import { every } from '../../platform/every.ts';
import { mediaMetrics } from '../../platform/metrics/metrics.ts';

type Direction = 'in' | 'out';
type Totals = Record<'bytes' | 'packets' | 'lost' | 'nacks' | 'plis', number>;

interface Track {
  source: types.Producer | types.Consumer;
  direction: Direction;
  kind: types.MediaKind;
  /** What has been counted so far. */
  counted: Totals;
  addedAt: number;
  /** No reading before this time. */
  restsUntil: number;
}

/**
 * Reading one track takes about 0.2 ms of this process and 0.05 ms of the worker, so reading the tracks of a full node must not take more
 * than a small fraction of a core.
 */
const readsPerSecond = 5;
const periodMs = 1_000;
/** The time between two readings of a track: as long as the track exists, within these bounds. */
const [leastRestMs, mostRestMs] = [5_000, 30_000];

/**
 * Counts the traffic of the tracks between this node and its clients, as metrics. It reads them in turns, a limited number per second: with
 * very many tracks, the counters are complete but late, with 3,000 tracks by ten minutes. What a track transfers after its last reading is not counted.
 */
export class TrafficMeter {
  readonly #tracks = new Map<string, Track>();
  /** The order in which tracks are read. */
  #turns: Track[] = [];
  readonly #stop = every(periodMs, () => this.#readSome());
  readonly #unwatch: (() => void)[];

  constructor() {
    const ofKind = (direction: Direction) => () =>
      (['audio', 'video'] as const).map((kind) => ({
        labels: { kind },
        value: this.#count(direction, kind),
      }));
    this.#unwatch = [mediaMetrics.producers.watch(ofKind('in')), mediaMetrics.consumers.watch(ofKind('out'))];
  }

  /** Counts all tracks of a worker's clients from now on, but not those between routers. */
  watch(worker: types.Worker): void {
    worker.observer.on('newrouter', (router) => {
      router.observer.on('newtransport', (transport) => {
        if (transport.type === 'pipe') return;
        transport.observer.on('newproducer', (producer) => this.#add(producer, 'in'));
        transport.observer.on('newconsumer', (consumer) => this.#add(consumer, 'out'));
      });
    });
  }

  close(): void {
    this.#stop();
    for (const end of this.#unwatch) end();
  }

  #add(source: Track['source'], direction: Direction): void {
    const counted = { bytes: 0, packets: 0, lost: 0, nacks: 0, plis: 0 };
    const addedAt = performance.now();
    const restsUntil = addedAt + leastRestMs;
    const track = { source, direction, kind: source.kind, counted, addedAt, restsUntil };
    this.#tracks.set(source.id, track);
    (source.observer as types.ProducerObserver).once('close', () => {
      if (this.#tracks.get(source.id) === track) this.#tracks.delete(source.id);
    });
  }

  #count(direction: Direction, kind: types.MediaKind): number {
    let count = 0;
    for (const track of this.#tracks.values())
      if (track.direction === direction && track.kind === kind) count++;
    return count;
  }

  #readSome(): void {
    if (this.#turns.length === 0) this.#turns = [...this.#tracks.values()].reverse();
    const now = performance.now();
    for (let left = (readsPerSecond * periodMs) / 1_000; left > 0 && this.#turns.length > 0;) {
      const track = this.#turns.pop();
      if (!track || track.source.closed || track.restsUntil > now) continue;
      left--;
      track.restsUntil = now + Math.max(leastRestMs, Math.min(mostRestMs, now - track.addedAt));
      // It fails if the track or its worker ends in the meantime.
      read(track).catch(() => undefined);
    }
  }
}

/** Adds what a track has transferred since it was last read. */
async function read({ source, direction, counted }: Track): Promise<void> {
  const stats = await source.getStats();
  const wanted = direction === 'in' ? 'inbound-rtp' : 'outbound-rtp';
  const sum: Totals = { bytes: 0, packets: 0, lost: 0, nacks: 0, plis: 0 };
  for (const stat of stats) {
    if (stat.type !== wanted) continue;
    sum.bytes += stat.byteCount;
    sum.packets += stat.packetCount;
    sum.lost += stat.packetsLost;
    sum.nacks += stat.nackCount;
    sum.plis += stat.pliCount;
  }
  for (const name of Object.keys(sum) as (keyof Totals)[]) {
    const more = sum[name] - counted[name];
    // Layers that a publisher has stopped are missing from its statistics. Their packets are not counted again when they return.
    if (more > 0) mediaMetrics[name].inc({ direction }, more);
    counted[name] = Math.max(counted[name], sum[name]);
  }
}
