import type { PlayerSource, SourceEvents } from './PlayerSource.ts';
import type { PlayerClient, PlayerEvents } from './playerTypes.ts';
import { receivedIn, type Received } from './received.ts';

interface ClientSourceOptions {
  client: PlayerClient;
  streamId: string;
  token: string | null;
  displayName: string;
  events: SourceEvents;
}

/** What the sources of one stream share, because the client watches it once for all of them. */
interface Shared {
  /** The sources that watch, or have sent the request. */
  sources: Set<ClientSource>;
  isWatched: boolean;
}

const sharedBy = new WeakMap<PlayerClient, Map<string, Shared>>();

/** A viewer with a wallet or participant token, who watches through a client, with events. */
export class ClientSource implements PlayerSource {
  readonly #options: ClientSourceOptions;
  readonly #stops: (() => void)[] = [];
  #isReceiving = true;
  #isEntering = false;
  #isClosed = false;
  /** The latest viewer count reported by an event; null before the first one. */
  #viewerCount: number | null = null;

  constructor(options: ClientSourceOptions) {
    this.#options = options;
    this.#subscribe();
  }

  get isConnected(): boolean {
    return this.#options.client.state === 'connected';
  }

  get isReached(): boolean {
    const { client, streamId } = this.#options;
    return client.media.receivingState(streamId) === 'connected';
  }

  async open(): Promise<void> {
    const { client, streamId, token, displayName, events } = this.#options;
    const stream = await client.streaming.get(streamId);
    events.stream(stream);
    if (stream.status === 'ended' || this.#isClosed) return;
    const shared = this.#shared();
    shared.sources.add(this);
    this.#isEntering = true;
    const opened = await client.streaming
      .watch(streamId, { ...(displayName ? { displayName } : {}), ...(token ? { token } : {}) })
      .finally(() => (this.#isEntering = false))
      .catch((error: unknown) => {
        this.#leave();
        throw error;
      });
    shared.isWatched = true;
    if (this.#isClosed) return this.#leave();
    // An event may have reported a count while the media was being set up. That count is newer than the one in the answer.
    events.stream({ ...opened, viewerCount: this.#viewerCount ?? opened.viewerCount });
  }

  /** Does nothing, because the client starts to receive by itself. */
  receive(): Promise<void> {
    return Promise.resolve();
  }

  async received(): Promise<Received> {
    const { client, streamId } = this.#options;
    return receivedIn((await client.media.stats(streamId)).receiving);
  }

  /**
   * Returns the token in a private stream's link or, without one, the wallet's viewer token, so that the wallet counts as one viewer.
   * A guest has none, and can play the playlists of public streams only.
   */
  async token(): Promise<string | null> {
    const { client, streamId, token } = this.#options;
    if ((await client.guest()) !== null) return null;
    return token ?? (await client.streaming.getViewerToken(streamId)).token;
  }

  stopReceiving(): void {
    this.#isReceiving = false;
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops.splice(0)) stop();
    this.#leave();
  }

  /** The last source of the stream stops watching it. One that is entering leaves when that is done. */
  #leave(): void {
    const { client, streamId } = this.#options;
    const shared = this.#shared();
    if (this.#isEntering || !shared.sources.delete(this) || shared.sources.size > 0) return;
    sharedBy.get(client)?.delete(streamId);
    if (shared.isWatched) void client.streaming.unwatch(streamId).catch(() => undefined);
  }

  #shared(): Shared {
    const { client, streamId } = this.#options;
    const streams = sharedBy.get(client) ?? new Map<string, Shared>();
    sharedBy.set(client, streams);
    const shared = streams.get(streamId) ?? { sources: new Set(), isWatched: false };
    streams.set(streamId, shared);
    return shared;
  }

  #subscribe(): void {
    const { streamId, events } = this.#options;
    this.#on('stream:updated', (stream) => stream.id === streamId && events.stream(stream));
    this.#on('stream:ended', (stream) => {
      if (stream.id !== streamId) return;
      this.#shared().isWatched = false;
      events.stream(stream);
    });
    this.#on('stream:removed', (removed) => {
      if (removed.streamId !== streamId) return;
      this.#shared().isWatched = false;
      events.refused(removed.reason);
    });
    this.#on('stream:viewer:count', (update) => {
      if (update.streamId !== streamId) return;
      this.#viewerCount = update.count;
      events.viewerCount(update.count);
    });
    this.#on('media:track', ({ id, source, track }) => {
      if (id === streamId && this.#isReceiving) events.track(source, track);
    });
    this.#on('media:track:ended', ({ id, source, track }) => {
      if (id === streamId) events.trackEnded(source, track);
    });
    this.#on('media:failed', ({ id }) => {
      if (id === streamId && this.#isReceiving) events.mediaLost();
    });
  }

  #on<Name extends keyof PlayerEvents>(name: Name, handler: (payload: PlayerEvents[Name]) => unknown): void {
    this.#stops.push(this.#options.client.on(name, (payload) => void handler(payload)));
  }
}
