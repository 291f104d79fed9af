import type { Address } from '../../protocol/common.ts';
import { guestsCannot } from '../../protocol/errors.ts';
import { isGuest } from '../../protocol/party.ts';
import type { EventName, EventOf } from '../../protocol/wire.ts';
import type { Connection } from './Connection.ts';
import { wait } from '../platform/abort.ts';
import { retryTransient } from './transient.ts';
import { whenThere, type StoredItems } from '../platform/StoredItems.ts';

interface StreamOptions {
  connection: Connection;
  /** Where the cursor is kept across reloads. */
  storage: StoredItems;
  /** The key prefix. It names the server, since each server has its own sequences. */
  storageKey: string;
  /** Called when more events were missed than the server stores. */
  onLost: () => void;
}

interface PendingEvent {
  event: string;
  payload: unknown;
}

/** How long a gap may last before the missing events are requested. Events from different nodes may arrive out of order. */
const gapMs = 150;
/** The maximum random delay before lost events are requested. Otherwise all clients would request them at the same moment. */
const spreadMs = 2_000;
/** The maximum number of events kept while an earlier one is missing. If there are more, all are dropped and requested again. */
const maxPending = 1_000;
/** How many requests a connection may send in ten seconds, if an older server does not say it. */
const usualRateLimit = 200;

/**
 * Delivers the numbered events of this wallet, each once and in order, even after reconnects or days offline. The cursor is the number of
 * the last delivered event. Events after a gap wait until the missing ones have been received from the server.
 */
export class EventStream {
  readonly #options: StreamOptions;
  readonly #handlers = new Map<string, (payload: never) => void>();
  readonly #pending = new Map<number, PendingEvent>();
  readonly #welcomed = new Set<(wallet: Address) => void>();
  #wallet: Address | null = null;
  #isWelcome = false;
  #rateLimit = usualRateLimit;
  /** The number of welcomes so far. */
  #welcomes = 0;
  #cursor = 0;
  #isRequesting = false;
  #requestAgain = false;
  #gapTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { connection } = options;
    connection.onNumbered((event, payload, sequence) => this.#receive(sequence, { event, payload }));
    connection.on('session:welcome', ({ walletAddress, latestEvent, rateLimit = usualRateLimit }) => {
      this.#rateLimit = rateLimit;
      // A guest has no such events.
      if (!isGuest(walletAddress)) this.#onWelcome(walletAddress as Address, latestEvent);
    });
    connection.on('session:behind', ({ latest }) => {
      if (latest > this.#cursor) this.#requestMissingSoon();
    });
    connection.on('session:missed', () =>
      setTimeout(() => void this.#requestMissing(), Math.random() * spreadMs),
    );
    connection.onState((state) => {
      if (state !== 'connected') this.#isWelcome = false;
      if (state !== 'closed') return;
      clearTimeout(this.#gapTimer);
      this.#gapTimer = undefined;
    });
  }

  /** The wallet of the latest connection; null before the first one. */
  get lastWallet(): Address | null {
    return this.#wallet;
  }

  /** Sets the handler of an event, in place of any earlier one. */
  on<Name extends EventName>(event: Name, handler: (payload: EventOf<Name>) => void): void {
    this.#handlers.set(event, handler);
  }

  /** Calls the handler on every connection, with its wallet. @returns a function that removes the handler */
  onWelcome(handler: (wallet: Address) => void): () => void {
    this.#welcomed.add(handler);
    return () => this.#welcomed.delete(handler);
  }

  /** Resolves with the wallet of the current connection, once it is open. @throws ParleyError NETWORK_ERROR after ten seconds, ACCESS_DENIED for a guest */
  async wallet(): Promise<Address> {
    const { walletAddress } = await this.#options.connection.welcome();
    if (isGuest(walletAddress)) throw guestsCannot();
    return walletAddress as Address;
  }

  /** Marks an event as delivered, because the response to a request contained it. */
  skip(sequence: number): void {
    this.#receive(sequence, { event: '', payload: null });
  }

  /** A device without a stored cursor starts at the latest event. */
  #onWelcome(wallet: Address, latestEvent: number): void {
    this.#isWelcome = true;
    const welcome = ++this.#welcomes;
    if (wallet === this.#wallet) return this.#begin(wallet);
    this.#pending.clear();
    // Events that arrive before the cursor is known are requested again.
    this.#wallet = null;
    this.#cursor = Infinity;
    void whenThere(this.#options.storage.get(this.#key(wallet)), (text) => {
      if (welcome !== this.#welcomes) return;
      this.#cursor = text && /^\d{1,15}$/.test(text) ? Number(text) : latestEvent;
      this.#begin(wallet);
    });
  }

  #begin(wallet: Address): void {
    this.#wallet = wallet;
    this.#store();
    // Needed even if nothing seems to be missing, because an event that is sent at this moment may not reach this connection.
    void this.#requestMissing();
    for (const handler of [...this.#welcomed]) handler(wallet);
  }

  #receive(sequence: number, event: PendingEvent): void {
    if (sequence <= this.#cursor) return;
    if (this.#pending.size >= maxPending) this.#pending.clear();
    this.#pending.set(sequence, event);
    this.#deliver();
    if (this.#pending.size > 0) this.#requestMissingSoon();
  }

  /** Delivers the events that follow the cursor without a gap. */
  #deliver(): void {
    const before = this.#cursor;
    for (let next = this.#pending.get(before + 1); next; next = this.#pending.get(this.#cursor + 1)) {
      this.#pending.delete(++this.#cursor);
      // The payload is null if the object no longer exists. An event that this SDK version does not know has no handler.
      if (next.payload !== null) this.#handlers.get(next.event)?.(next.payload as never);
    }
    if (this.#cursor !== before) this.#store();
  }

  #requestMissingSoon(): void {
    if (this.#gapTimer !== undefined) return;
    this.#gapTimer = setTimeout(() => {
      this.#gapTimer = undefined;
      void this.#requestMissing();
    }, gapMs);
  }

  /** Requests missing events, one request at a time. If it fails, the next connection tries again. */
  async #requestMissing(): Promise<void> {
    // A guest has no numbered events. Without a connection, the next one requests them: a request would open it, also after suspend().
    if (!this.#wallet || !this.#isWelcome) return;
    this.#requestAgain = true;
    if (this.#isRequesting) return;
    this.#isRequesting = true;
    try {
      while (this.#requestAgain) {
        this.#requestAgain = false;
        await retryTransient(
          () => this.#catchUp(),
          () => this.#isWelcome,
        );
      }
    } catch {
      // A server older than this SDK has neither this request nor numbered events.
    } finally {
      this.#isRequesting = false;
    }
  }

  async #catchUp(): Promise<void> {
    const wallet = this.#wallet;
    for (let pages = 1; ; pages++) {
      const after = this.#cursor;
      const { connection } = this.#options;
      const answer = await connection.request('session.catchUp', { after });
      // Another wallet has signed in during the request. Its connection catches up separately.
      if (wallet !== this.#wallet) return;
      if (answer.isLost) this.#skipTo(answer.latest);
      else for (const { sequence, event, payload } of answer.events) this.#add(sequence, { event, payload });
      this.#deliver();
      if (this.#cursor >= answer.latest || this.#cursor === after) return;
      // With tens of thousands of missed events, the requests of the app would otherwise be refused meanwhile.
      if (pages > this.#rateLimit / 4) await wait(20_000 / this.#rateLimit);
      if (!this.#isWelcome) return;
    }
  }

  #add(sequence: number, event: PendingEvent): void {
    if (sequence > this.#cursor) this.#pending.set(sequence, event);
  }

  #skipTo(latest: number): void {
    this.#cursor = latest;
    for (const sequence of [...this.#pending.keys()]) if (sequence <= latest) this.#pending.delete(sequence);
    this.#store();
    this.#options.onLost();
  }

  /** If this fails, the next page starts at the old cursor and receives these events again. */
  #store(): void {
    if (this.#wallet) this.#options.storage.set(this.#key(this.#wallet), String(this.#cursor));
  }

  #key(wallet: Address): string {
    return `${this.#options.storageKey} ${wallet}`;
  }
}
