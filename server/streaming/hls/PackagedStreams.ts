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
/** Who comes first waits until there is something. */
const waitMs = 10_000;
const againMs = 250;

/** The segments of streams as this node hands them on: each is fetched once from the node that makes it. */
export class PackagedStreams {
  readonly #cluster: Pick<MediaCluster, 'packaged' | 'packagedFile'>;
  readonly #playlists = new Map<string, Asked<Packaged>>();
  readonly #files = new Map<string, Asked<Buffer | null>>();
  readonly #timer: NodeJS.Timeout;

  constructor(cluster: Pick<MediaCluster, 'packaged' | 'packagedFile'>) {
    this.#cluster = cluster;
    this.#timer = setInterval(() => {
      forget(this.#playlists, filesMs);
      forget(this.#files, filesMs);
    }, filesMs).unref();
  }

  /** @throws ParleyError NOT_FOUND when it is over, SERVICE_UNAVAILABLE while there is nothing of it */
  playlist(streamId: string): Promise<Packaged> {
    const there = this.#playlists.get(streamId);
    if (there && Date.now() - there.at < freshMs) return there.answer;
    return remember(this.#playlists, streamId, this.#cluster.packaged(streamId));
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

  /** @throws ParleyError NOT_FOUND when the stream is over: then its files are */
  async file(streamId: string, packageId: string, name: string): Promise<Buffer | null> {
    await this.playlist(streamId);
    const key = `${streamId} ${packageId} ${name}`;
    const there = this.#files.get(key);
    if (there) return there.answer;
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

function remember<T>(asked: Map<string, Asked<T>>, key: string, answer: Promise<T>): Promise<T> {
  const entry = { at: Date.now(), answer };
  asked.set(key, entry);
  answer.catch(() => {
    if (asked.get(key) === entry) asked.delete(key);
  });
  return answer;
}

function forget<T>(asked: Map<string, Asked<T>>, afterMs: number): void {
  for (const [key, { at }] of asked) if (Date.now() - at > afterMs) asked.delete(key);
}
