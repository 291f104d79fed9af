import type { Address } from '../../protocol/common.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { EventName, EventOf } from '../../protocol/wire.ts';
import type { Connection } from './Connection.ts';
import { retryTransient } from './transient.ts';
import type { SessionStorage } from '../types.ts';

interface StreamOptions {
  connection: Connection;
  /** Where the cursor outlives the page. */
  storage?: SessionStorage | undefined;
  /** Names the server: each has sequences of its own. */
  storageKey: string;
  /** More was missed than the server keeps. */
  onLost: () => void;
}

interface Held {
  event: string;
  payload: unknown;
}

/** What another node has stored a moment earlier may come a moment later. */
const gapMs = 150;
/** All clients of a server ask at the same moment, when it says that events were lost. */
const spreadMs = 2_000;
/** More than these are not kept while an earlier one is missing: they are asked for again. */
const maxHeld = 1_000;
const welcomeLimitMs = 10_000;

/**
 * The events of this wallet that have a number: each once and in order, through reconnects and days away. The cursor is the
 * number of the last one; what comes after it is taken as it arrives, and asked for where something is missing.
 */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #handlers = new Map<string, (payload: never) => void>();
  readonly #held = new Map<number, Held>();
  readonly #welcomed = new Set<(wallet: Address) => void>();
  #wallet: Address | null = null;
  #isWelcome = false;
  #cursor = 0;
  #isAsking = false;
  #askAgain = false;
  #gapTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { connection } = options;
    connection.onNumbered((event, payload, sequence) => this.#receive(sequence, { event, payload }));
    connection.on('session:welcome', ({ walletAddress, latestEvent }) =>
      this.#begin(walletAddress, latestEvent),
    );
    connection.on('session:behind', ({ latest }) => {
      if (latest > this.#cursor) this.#askSoon();
    });
    connection.on('session:missed', () => setTimeout(() => void this.#ask(), Math.random() * spreadMs));
    connection.onState((state) => {
      if (state !== 'connected') this.#isWelcome = false;
      if (state === 'closed') clearTimeout(this.#gapTimer);
    });
  }

  /** Whom this client was connected for last; null before it was. */
  get lastWallet(): Address | null {
    return this.#wallet;
  }

  /** One handler for each event. */
  on<Name extends EventName>(event: Name, handler: (payload: EventOf<Name>) => void): void {
    this.#handlers.set(event, handler);
  }

  /** Calls the handler at every connection, with the wallet it is for. */
  onWelcome(handler: (wallet: Address) => void): () => void {
    this.#welcomed.add(handler);
    return () => this.#welcomed.delete(handler);
  }

  /** Whom the present connection is for. @throws ParleyError NETWORK_ERROR when there is none for a while */
  async wallet(): Promise<Address> {
    await this.#options.connection.open();
    if (this.#isWelcome && this.#wallet) return this.#wallet;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        stop();
        reject(new ParleyError('NETWORK_ERROR', 'The server says nothing: check the network and try again.'));
      }, welcomeLimitMs);
      const stop = this.onWelcome((wallet) => {
        clearTimeout(timer);
        stop();
        resolve(wallet);
      });
    });
  }

  /** Heard otherwise: an answer told it. */
  skip(sequence: number): void {
    this.#receive(sequence, { event: '', payload: null });
  }

  /** A device that is new begins now. */
  #begin(wallet: Address, latestEvent: number): void {
    if (wallet !== this.#wallet) {
      this.#held.clear();
      this.#cursor = this.#stored(wallet) ?? latestEvent;
    }
    this.#wallet = wallet;
    this.#isWelcome = true;
    this.#store();
    // Also where nothing seems to be missing: what came in this very moment, nobody may have told this connection.
    void this.#ask();
    for (const handler of [...this.#welcomed]) handler(wallet);
  }

  #receive(sequence: number, held: Held): void {
    if (sequence <= this.#cursor) return;
    if (this.#held.size >= maxHeld) this.#held.clear();
    this.#held.set(sequence, held);
    this.#deliver();
    if (this.#held.size > 0) this.#askSoon();
  }

  /** Whatever follows the cursor without a gap. */
  #deliver(): void {
    const before = this.#cursor;
    for (let next = this.#held.get(before + 1); next; next = this.#held.get(this.#cursor + 1)) {
      this.#held.delete(++this.#cursor);
      // Gone since, or newer than this client: there is nothing to tell.
      if (next.payload !== null) this.#handlers.get(next.event)?.(next.payload as never);
    }
    if (this.#cursor !== before) this.#store();
  }

  #askSoon(): void {
    if (this.#gapTimer !== undefined) return;
    this.#gapTimer = setTimeout(() => {
      this.#gapTimer = undefined;
      void this.#ask();
    }, gapMs);
  }

  /** One at a time. What it could not learn, the next connection asks for. */
  async #ask(): Promise<void> {
    this.#askAgain = true;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      while (this.#askAgain) {
        this.#askAgain = false;
        await retryTransient(
          () => this.#catchUp(),
          () => this.#isWelcome,
        );
      }
    } catch {
      // A server that is older than this client has no such request, and no such events.
    } finally {
      this.#isAsking = false;
    }
  }

  async #catchUp(): Promise<void> {
    const wallet = this.#wallet;
    for (;;) {
      const after = this.#cursor;
      const { connection } = this.#options;
      const answer = await connection.request('session.catchUp', { after });
      // Signed in as somebody else meanwhile: that asks for itself.
      if (wallet !== this.#wallet) return;
      if (answer.isLost) this.#skipTo(answer.latest);
      else for (const { sequence, event, payload } of answer.events) this.#add(sequence, { event, payload });
      this.#deliver();
      if (this.#cursor >= answer.latest || this.#cursor === after) return;
    }
  }

  #add(sequence: number, held: Held): void {
    if (sequence > this.#cursor) this.#held.set(sequence, held);
  }

  #skipTo(latest: number): void {
    this.#cursor = latest;
    for (const sequence of [...this.#held.keys()]) if (sequence <= latest) this.#held.delete(sequence);
    this.#store();
    this.#options.onLost();
  }

  #stored(wallet: Address): number | null {
    try {
      const text = this.#options.storage?.getItem(this.#key(wallet));
      return text && /^\d{1,15}$/.test(text) ? Number(text) : null;
    } catch {
      return null;
    }
  }

  #store(): void {
    if (!this.#wallet) return;
    try {
      this.#options.storage?.setItem(this.#key(this.#wallet), String(this.#cursor));
    } catch {
      // A full or forbidden storage: then the next page begins where this one did.
    }
  }

  #key(wallet: Address): string {
    return `${this.#options.storageKey} ${wallet}`;
  }
}
