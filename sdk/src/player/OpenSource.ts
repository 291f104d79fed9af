import { ParleyError } from '../../protocol/errors.ts';
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
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The stream as it was read last. */
  #stream: LiveStream | null = null;
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
    const stream = (this.#stream = await this.#read());
    if (this.#isClosed) return;
    events.stream(stream);
    if (stream.status === 'ended') return;
    this.#lookAgain();
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
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#end(isOver);
  }

  /** Called when the connection was lost, perhaps because the stream has ended. The server may report the end only a moment later. */
  async #lost(): Promise<void> {
    const { events } = this.#options;
    await new Promise((resolve) => setTimeout(resolve, lookAfterMs));
    await this.#look();
    if (this.#isClosed || this.#stream?.status === 'ended') return;
    this.#end(true);
    events.mediaLost();
  }

  /** Looks regularly, but not before the answer to the last time has arrived: a late one would undo a newer one. */
  #lookAgain(): void {
    this.#timer ??= setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = null;
        if (!this.#isClosed) this.#lookAgain();
      });
    }, pollMs);
  }

  /** Reads the stream again, and reports it. One that the server no longer knows has ended. */
  async #look(): Promise<void> {
    const known = this.#stream;
    const read = await this.#read().catch((error: unknown) => {
      const isGone = error instanceof ParleyError && error.code === 'NOT_FOUND';
      return isGone && known ? { ...known, status: 'ended' as const } : null;
    });
    if (this.#isClosed) return;
    this.isConnected = read !== null;
    if (!read) return;
    this.#stream = read;
    this.#options.events.stream(read);
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
