import { setTimeout as delay } from 'node:timers/promises';
import type { MediaCluster } from '../../../media/MediaCluster.ts';
import type { Packaged } from '../../../media/Packaging.ts';
import { ParleyError } from '../../../sdk/protocol/errors.ts';

interface Asked<T> {
  at: number;
  answer: Promise<T>;
}

/** However many ask, the node that makes the segments is asked so often. */
const freshMs = 250;
const filesMs = 15_000;
const mostFiles = 500;
/** A viewer of a stream that ended asks for its playlist within this. */
const lastMs = 60_000;
/** Who comes first waits until there is something. */
const waitMs = 10_000;
const againMs = 250;

/** The segments of streams as this node hands them on: each is fetched once from the node that makes it. */
export class PackagedStreams {
  readonly #cluster: Pick<MediaCluster, 'packaged' | 'packagedFile'>;
  readonly #playlists = new Map<string, Asked<Packaged>>();
  readonly #files = new Map<string, Asked<Buffer | null>>();
  /** What there was to fetch, by stream. */
  readonly #latest = new Map<string, { at: number; packaged: Packaged }>();
  readonly #timer: NodeJS.Timeout;

  constructor(cluster: Pick<MediaCluster, 'packaged' | 'packagedFile'>) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => {
      forget(this.#playlists, filesMs);
      forget(this.#files, filesMs);
      forget(this.#latest, lastMs);
    }, filesMs).unref();
  }

  /** @throws ParleyError NOT_FOUND when it is over, SERVICE_UNAVAILABLE while there is nothing of it */
  playlist(streamId: string): Promise<Packaged> {
    const there = this.#playlists.get(streamId);
    if (there && Date.now() - there.at < freshMs) return there.answer;
    const answer = this.#cluster.packaged(streamId).then((packaged) => {
      this.#latest.set(streamId, { at: Date.now(), packaged });
      return packaged;
    });
    return remember(this.#playlists, streamId, answer);
  }

  /** What was there when the stream ended, of which this node has a copy: null without any. */
  last(streamId: string): Packaged | null {
    const { packaged } = this.#latest.get(streamId) ?? {};
    if (!packaged) return null;
    const has = (name: string) => this.#files.has(keyOf(streamId, packaged.packageId, name));
    const lost = packaged.segments.findLastIndex(({ name, init }) => !has(name) || !has(init)) + 1;
    const discontinuities = packaged.segments.slice(0, lost).filter(({ isNew }) => isNew).length;
    return {
      ...packaged,
      segments: packaged.segments.slice(lost),
      mediaSequence: packaged.mediaSequence + lost,
      discontinuitySequence: packaged.discontinuitySequence + discontinuities,
    };
  }

  /** Waits for a while until there is something. */
  async begun(streamId: string): Promise<Packaged> {
    const deadline = Date.now() + waitMs;
    for (;;) {
      try {
        return await this.playlist(streamId);
      } catch (error) {
        const isTooSoon = error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE';
        if (!isTooSoon || Date.now() > deadline) throw error;
        await delay(againMs);
      }
    }
  }

  /** Once the stream is over, the copies this node has, for a moment. @throws ParleyError NOT_FOUND */
  async file(streamId: string, packageId: string, name: string): Promise<Buffer | null> {
    const key = keyOf(streamId, packageId, name);
    const there = this.#files.get(key);
    if (there) return there.answer;
    await this.playlist(streamId);
    // The oldest first, as a map keeps them.
    for (const [oldest] of this.#files) {
      if (this.#files.size < mostFiles) break;
      this.#files.delete(oldest);
    }
    const answer = this.#cluster.packagedFile(streamId, packageId, name);
    answer.then((bytes) => bytes ?? this.#files.delete(key)).catch(() => undefined);
    return remember(this.#files, key, answer);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

const keyOf = (streamId: string, packageId: string, name: string) => `${streamId} ${packageId} ${name}`;

function remember<T>(asked: Map<string, Asked<T>>, key: string, answer: Promise<T>): Promise<T> {
  const entry = { at: Date.now(), answer };
  asked.set(key, entry);
  answer.catch(() => {
    if (asked.get(key) === entry) asked.delete(key);
  });
  return answer;
}

function forget(asked: Map<string, { at: number }>, afterMs: number): void {
  for (const [key, { at }] of asked) if (Date.now() - at > afterMs) asked.delete(key);
}
