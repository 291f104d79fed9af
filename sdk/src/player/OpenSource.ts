import { getPublicStream } from '../http/getPublicStream.ts';
import type { LiveStream } from '../types.ts';
import type { PlayerSource, SourceEvents } from './PlayerSource.ts';
import { receivedIn, type Received } from './received.ts';
import { Whep, WhepRefusal } from './Whep.ts';

interface OpenSourceOptions {
  baseUrl: string;
  streamId: string;
  token: string | null;
  events: SourceEvents;
  /** Whether a refusal is final. */
  isFinal: (reason: string) => boolean;
}

/** The interval at which the stream is polled, because such viewers get no events. */
const pollMs = 3_000;
/** How long to wait after the connection is lost before reading the stream again. */
const lookAfterMs = 1_200;

/** A viewer with neither a wallet nor a participant token, who watches by WHEP if the stream is open to everyone. */
export class OpenSource implements PlayerSource {
  readonly #options: OpenSourceOptions;
  #timer: ReturnType<typeof setInterval> | null = null;
  #whep: Whep | null = null;
  #isClosed = false;
  #isReceiving = true;
  isConnected = true;

  constructor(options: OpenSourceOptions) {
    this.#options = options;
  }

  get isReached(): boolean {
    return this.#whep?.isConnected ?? false;
  }

  async open(): Promise<void> {
    const { token, events } = this.#options;
    const stream = await this.#read();
    if (stream.status === 'ended' || this.#isClosed) return events.stream(stream);
    this.#timer ??= setInterval(() => {
      this.#read().then(
        (current) => {
          this.isConnected = true;
          events.stream(current);
        },
        () => (this.isConnected = false),
      );
    }, pollMs);
    events.stream(stream);
    if (stream.gate) return events.refused('gated');
    if (!stream.isPublic && !token) events.refused('token_needed');
  }

  async receive(): Promise<void> {
    const { baseUrl, streamId, token, events, isFinal } = this.#options;
    if (this.#whep || !this.#isReceiving) return;
    try {
      const whep = await Whep.begin(`${baseUrl}/whep/${streamId}`, token, {
        onTrack: events.track,
        onLost: () => void this.#lost(),
      });
      if (this.#isClosed || !this.#isReceiving) whep.close();
      else this.#whep = whep;
    } catch (error) {
      // If the stream has not started, or if there are too many requests, the player tries again in a moment.
      if (error instanceof WhepRefusal && isFinal(error.reason)) events.refused(error.reason);
    }
  }

  async received(): Promise<Received> {
    return receivedIn((await this.#whep?.stats()) ?? []);
  }

  token(): Promise<string | null> {
    return Promise.resolve(this.#options.token);
  }

  stopReceiving(): void {
    this.#isReceiving = false;
    this.#end();
  }

  close(isOver = false): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#end(isOver);
  }

  /** Called when the connection was lost, perhaps because the stream has ended. The server may report the end only a moment later. */
  async #lost(): Promise<void> {
    const { events } = this.#options;
    await new Promise((resolve) => setTimeout(resolve, lookAfterMs));
    const stream = await this.#read().catch(() => null);
    if (this.#isClosed) return;
    if (stream) events.stream(stream);
    if (stream?.status === 'ended') return;
    this.#end(true);
    events.mediaLost();
  }

  #end(isOver = false): void {
    this.#whep?.close(isOver);
    this.#whep = null;
  }

  #read(): Promise<LiveStream> {
    const { streamId, baseUrl } = this.#options;
    return getPublicStream(streamId, { baseUrl });
  }
}
