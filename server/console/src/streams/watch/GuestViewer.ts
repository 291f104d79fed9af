import { getPublicStream, ParleyError, type LiveStream } from '@parley/sdk';
import type { ViewerEvents, StreamViewer } from './StreamViewer.ts';
import { receivedIn, type Received } from './received.ts';
import { refusals } from './watchState.ts';
import { Whep, WhepRefusal } from './Whep.ts';

interface GuestViewerOptions {
  streamId: string;
  token: string | null;
  events: ViewerEvents;
}

/** Guests get no events: the page polls. */
const askMs = 3_000;
const lookAfterMs = 1_200;

/** Somebody without a wallet watches by WHEP, where the stream is open to them. */
export class GuestViewer implements StreamViewer {
  readonly #options: GuestViewerOptions;
  #timer: ReturnType<typeof setInterval> | null = null;
  #whep: Whep | null = null;
  #isClosed = false;
  #isReceiving = true;
  isConnected = true;

  constructor(options: GuestViewerOptions) {
    this.#options = options;
  }

  get isReached(): boolean {
    return this.#whep?.isConnected ?? false;
  }

  async open(): Promise<void> {
    const { token, events } = this.#options;
    const stream = await this.#ask();
    if (stream.status === 'ended') return events.stream(stream);
    this.#timer ??= setInterval(() => {
      this.#ask().then(
        (told) => {
          this.isConnected = true;
          events.stream(told);
        },
        () => (this.isConnected = false),
      );
    }, askMs);
    events.stream(stream);
    if (stream.gate) return events.refused('gated');
    if (!stream.isPublic && !token) events.refused('private');
  }

  async receive(): Promise<void> {
    const { streamId, token, events } = this.#options;
    if (this.#whep || !this.#isReceiving) return;
    try {
      const whep = await Whep.begin(`${location.origin}/whep/${streamId}`, token, {
        onTrack: events.track,
        onLost: () => void this.#lost(),
      });
      if (this.#isClosed || !this.#isReceiving) whep.close();
      else this.#whep = whep;
    } catch (error) {
      // Not begun, or too many at once: it is asked for again in a moment.
      if (error instanceof WhepRefusal && error.reason in refusals) events.refused(error.reason);
    }
  }

  async received(): Promise<Received> {
    return receivedIn((await this.#whep?.stats()) ?? []);
  }

  token(): Promise<string | null> {
    return Promise.resolve(this.#options.token);
  }

  say(): Promise<void> {
    return Promise.reject(new ParleyError('AUTHENTICATION_REQUIRED', 'Sign in with a wallet to write.'));
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

  /** The connection: with the stream, or without. What the server says now it may have known a moment before. */
  async #lost(): Promise<void> {
    const { events } = this.#options;
    await new Promise((resolve) => setTimeout(resolve, lookAfterMs));
    const stream = await this.#ask().catch(() => null);
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

  #ask(): Promise<LiveStream> {
    return getPublicStream(this.#options.streamId);
  }
}
