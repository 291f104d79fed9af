import { getPublicStream, ParleyError, type LiveStream } from '@parley/sdk';
import type { Hears, Seat } from './WatchController.ts';
import { receivedIn, type Received } from './received.ts';
import { refusals } from './watchState.ts';
import { Whep, WhepRefusal } from './Whep.ts';

interface GuestSeatOptions {
  streamId: string;
  token: string | null;
  hears: Hears;
}

/** Whoever is not signed in is told nothing: the page asks. */
const askMs = 3_000;
const lookAfterMs = 1_200;

/** Somebody without a wallet watches by WHEP, where the stream is open to them. */
export class GuestSeat implements Seat {
  readonly #options: GuestSeatOptions;
  #timer: ReturnType<typeof setInterval> | null = null;
  #whep: Whep | null = null;
  #isClosed = false;
  #isReceiving = true;
  isConnected = true;

  constructor(options: GuestSeatOptions) {
    this.#options = options;
  }

  get isReached(): boolean {
    return this.#whep?.isConnected ?? false;
  }

  async open(): Promise<void> {
    const { token, hears } = this.#options;
    const stream = await this.#ask();
    if (stream.status === 'ended') return hears.stream(stream);
    this.#timer ??= setInterval(() => {
      this.#ask().then(
        (told) => {
          this.isConnected = true;
          hears.stream(told);
        },
        () => (this.isConnected = false),
      );
    }, askMs);
    hears.stream(stream);
    if (stream.gate) return hears.refused('gated');
    if (!stream.isPublic && !token) hears.refused('private');
  }

  async receive(): Promise<void> {
    const { streamId, token, hears } = this.#options;
    if (this.#whep || !this.#isReceiving) return;
    try {
      const whep = await Whep.begin(`${location.origin}/whep/${streamId}`, token, {
        onTrack: hears.track,
        onLost: () => void this.#lost(),
      });
      if (this.#isClosed || !this.#isReceiving) whep.close();
      else this.#whep = whep;
    } catch (error) {
      // Not begun, or too many at once: it is asked for again in a moment.
      if (error instanceof WhepRefusal && error.reason in refusals) hears.refused(error.reason);
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
    const { hears } = this.#options;
    await new Promise((resolve) => setTimeout(resolve, lookAfterMs));
    const stream = await this.#ask().catch(() => null);
    if (this.#isClosed) return;
    if (stream) hears.stream(stream);
    if (stream?.status === 'ended') return;
    this.#end(true);
    hears.mediaLost();
  }

  #end(isOver = false): void {
    this.#whep?.close(isOver);
    this.#whep = null;
  }

  #ask(): Promise<LiveStream> {
    return getPublicStream(this.#options.streamId);
  }
}
