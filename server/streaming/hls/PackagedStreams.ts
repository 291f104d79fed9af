import { setTimeout as delay } from 'node:timers/promises';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { Packaged } from '../../../media/Packaging.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';

interface Asked<T> {
  at: number;
  answer: Promise<T>;
}

/** How long a playlist is reused. The packaging node is asked at most once in this time, however many viewers there are. */
const freshMs = 250;
const filesMs = 15_000;
const maxFiles = 500;
/** How long the latest playlist of a stream is kept. Viewers of an ended stream request its playlist within this time. */
const lastMs = 60_000;
/** The maximum time that the first viewer waits for segments. */
const waitMs = 10_000;
const againMs = 250;

/** Serves segments to viewers on this node. Each segment is fetched once from the node that makes it. */
export class PackagedStreams {
  readonly #cluster: Pick<MediaCluster, 'room'>;
  readonly #playlists = new Map<string, Asked<Packaged>>();
  readonly #files = new Map<string, Asked<Buffer | null>>();
  /** The latest playlist, by stream. */
  readonly #latest = new Map<string, { at: number; packaged: Packaged }>();
  readonly #timer: NodeJS.Timeout;

  constructor(cluster: Pick<MediaCluster, 'room'>) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => {
      forget(this.#playlists, filesMs);
      forget(this.#files, filesMs);
      forget(this.#latest, lastMs);
    }, filesMs).unref();
  }

  /** @throws ParleyError NOT_FOUND if the stream has ended, SERVICE_UNAVAILABLE while it has no segments */
  playlist(streamId: string): Promise<Packaged> {
    const there = this.#playlists.get(streamId);
    if (there && performance.now() - there.at < freshMs) return there.answer;
    const answer = this.#cluster
      .room(streamId)
      .packaged({})
      .then((packaged) => {
        this.#latest.set(streamId, { at: performance.now(), packaged });
        return packaged;
      });
    return remember(this.#playlists, streamId, answer);
  }

  /** The last playlist of an ended stream, with the segments this node has cached; null if it has none. */
  last(streamId: string): Packaged | null {
    const { packaged } = this.#latest.get(streamId) ?? {};
    if (!packaged) return null;
    const has = (name: string) => this.#files.has(keyOf(streamId, packaged.packageId, name));
    const lost = packaged.segments.findLastIndex(({ name }) => !has(name)) + 1;
    const discontinuities = packaged.segments.slice(0, lost).filter(({ isNew }) => isNew).length;
    return {
      ...packaged,
      segments: packaged.segments.slice(lost),
      mediaSequence: packaged.mediaSequence + lost,
      discontinuitySequence: packaged.discontinuitySequence + discontinuities,
    };
  }

  /** Returns the playlist. Waits for it for a limited time if the stream has no segments yet. */
  async begun(streamId: string): Promise<Packaged> {
    const deadline = performance.now() + waitMs;
    for (;;) {
      try {
        return await this.playlist(streamId);
      } catch (error) {
        const isTooSoon = error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE';
        if (!isTooSoon || performance.now() > deadline) throw error;
        await delay(againMs);
      }
    }
  }

  /**
   * Returns a segment, or null if it does not exist. Cached copies are served for a short time after the stream has ended.
   * @throws ParleyError NOT_FOUND
   */
  async file(streamId: string, packageId: string, name: string): Promise<Buffer | null> {
    const key = keyOf(streamId, packageId, name);
    const there = this.#files.get(key);
    if (there) return there.answer;
    await this.playlist(streamId);
    // A map keeps its entries in insertion order, so the oldest are deleted first.
    for (const [oldest] of this.#files) {
      if (this.#files.size < maxFiles) break;
      this.#files.delete(oldest);
    }
    const answer = this.#cluster
      .room(streamId)
      .packagedFile({ packageId, name })
      .then(({ bytes }) => bytes && Buffer.from(bytes));
    answer.then((bytes) => bytes ?? this.#files.delete(key)).catch(() => undefined);
    return remember(this.#files, key, answer);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const keyOf = (streamId: string, packageId: string, name: string) => `${streamId} ${packageId} ${name}`;

function remember<T>(asked: Map<string, Asked<T>>, key: string, answer: Promise<T>): Promise<T> {
  const entry = { at: performance.now(), answer };
  asked.set(key, entry);
  answer.catch(() => {
    if (asked.get(key) === entry) asked.delete(key);
  });
  return answer;
}

function forget(asked: Map<string, { at: number }>, afterMs: number): void {
  for (const [key, { at }] of asked) if (performance.now() - at > afterMs) asked.delete(key);
}
