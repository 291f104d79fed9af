import type { Address } from '../../protocol/common.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { WireMessage } from '../../protocol/messages.ts';
import type { Connection } from '../connection/Connection.ts';
import type { EventStream } from '../connection/EventStream.ts';
import type { Draft, KeptOutbox } from './KeptOutbox.ts';
import { isTransient } from '../connection/transient.ts';

interface OutboxOptions {
  connection: Connection;
  stream: EventStream;
  kept: KeptOutbox;
  /** How long a message is tried. */
  limitMs: number;
  onSending: (draft: Draft) => void;
  onFailed: (draft: Draft, error: Error) => void;
  /** One that was begun before this page was loaded: nobody waits for its promise. */
  onAdopted: (message: WireMessage) => void;
}

export interface Entry {
  draft: Draft;
  /** Brings its file to the server, before it is sent itself. */
  upload?: (() => Promise<string>) | undefined;
  error: Error | null;
  /** Left by an earlier page: nobody waits for its promise. */
  isAdopted?: true;
  resolve: (message: WireMessage) => void;
  reject: (error: Error) => void;
}

/** Conversations that send at the same time. */
const maxActive = 16;
const firstDelayMs = 250;
const longestDelayMs = 5_000;
/** Our own fault does not pass as a network does. */
const maxInternal = 10;
/** Failed ones nobody asks about. */
const maxFailed = 100;
const rememberedSent = 5_000;

/**
 * Messages on their way: one after the other in each conversation, each tried until the server has it, through reconnects and rate
 * limits. Its id makes a second attempt the same message.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** By recipient, in the order they were written. */
  readonly #lanes = new Map<Address, Entry[]>();
  readonly #active = new Set<Address>();
  readonly #failed = new Map<string, Entry>();
  /** Of this client: other devices are told of them, this one is not. */
  readonly #sent = new Set<string>();
  #pausedUntil = 0;
  /** Wallets whose kept messages were looked for, and those for whom that was while connected. */
  readonly #adoptedFor = { once: new Set<Address>(), connected: new Set<Address>() };
  /** Nothing is sent before this: what an earlier page left comes first. */
  #adoption: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
    // Again once connected: an earlier page of this tab may not have been gone yet.
    options.stream.onWelcome((wallet) => {
      this.#adoptOnce(wallet, 'connected');
      void this.#adoption.then(() => this.#pump());
    });
  }

  /** Those that are being sent, and those that failed. */
  get entries(): Entry[] {
    return [...[...this.#lanes.values()].flat(), ...this.#failed.values()];
  }

  /** Takes over what earlier pages left of this wallet's: it is sent before anything that is added here. */
  adopt(wallet: Address): void {
    this.#adoptOnce(wallet, 'once');
  }

  /** Resolves when the server has stored it. */
  add(draft: Draft, upload?: Entry['upload']): Promise<WireMessage> {
    this.adopt(draft.wallet);
    return new Promise((resolve, reject) => {
      // What has to bring its file first can't outlive the page.
      if (!upload) this.#options.kept.put(draft);
      this.#enqueue({ draft, upload, error: null, resolve, reject });
    });
  }

  /** Tries a failed one again. @returns null where there is none */
  retry(id: string): Promise<WireMessage> | null {
    const entry = this.#failed.get(id);
    if (!entry) return null;
    this.#failed.delete(id);
    this.#options.kept.remove(entry.draft);
    return this.add({ ...entry.draft, queuedAt: Date.now() }, entry.upload);
  }

  /** Forgets a failed one. */
  discard(id: string): void {
    const entry = this.#failed.get(id);
    this.#failed.delete(id);
    if (entry) this.#options.kept.remove(entry.draft);
  }

  /** The server has stored a message of this wallet. @returns whether it is one of this client's */
  confirm(message: WireMessage): boolean {
    const entry = this.#lanes.get(message.to)?.find(({ draft }) => draft.id === message.id);
    if (entry) this.#settle(entry, message);
    return this.#sent.has(message.id);
  }

  #adoptOnce(wallet: Address, when: 'once' | 'connected'): void {
    const { once, connected } = this.#adoptedFor;
    if (connected.has(wallet) || this.#adoptedFor[when].has(wallet)) return;
    (when === 'once' ? once : connected).add(wallet);
    this.#adoption = this.#adoption.then(() => this.#adopt(wallet)).catch(() => undefined);
  }

  /** Sends nothing yet: that is for the next message, or the connection. */
  async #adopt(wallet: Address): Promise<void> {
    const { kept, onAdopted, onSending } = this.#options;
    const left = await kept.adopt(wallet, (id) => this.entries.some(({ draft }) => draft.id === id));
    // From the last to the first, each to the front of its lane.
    for (const draft of [...left].reverse()) {
      const entry: Entry = { draft, error: null, isAdopted: true, resolve: onAdopted, reject: () => {} };
      this.#lanes.set(draft.to, [entry, ...(this.#lanes.get(draft.to) ?? [])]);
    }
    for (const draft of left) onSending(draft);
  }

  #enqueue(entry: Entry): void {
    const { to } = entry.draft;
    this.#lanes.set(to, [...(this.#lanes.get(to) ?? []), entry]);
    this.#options.onSending(entry.draft);
    this.#pump();
  }

  #pump(): void {
    for (const to of this.#lanes.keys()) {
      if (this.#active.size >= maxActive) return;
      if (this.#active.has(to)) continue;
      this.#active.add(to);
      void this.#run(to).finally(() => {
        this.#active.delete(to);
        this.#pump();
      });
    }
  }

  async #run(to: Address): Promise<void> {
    for (let entry = this.#lanes.get(to)?.[0]; entry; entry = this.#lanes.get(to)?.[0]) {
      try {
        const message = await this.#send(entry);
        if (message) this.#settle(entry, message);
      } catch (error) {
        this.#fail(entry, error as Error);
      }
    }
  }

  /** @returns null where another one is the first of its lane by now */
  async #send(entry: Entry): Promise<WireMessage | null> {
    const { draft } = entry;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(entry);
      } catch (error) {
        const isHopeless =
          error instanceof ParleyError && error.code === 'INTERNAL' && attempt >= maxInternal;
        if (!isTransient(error) || isHopeless) throw error;
        if (Date.now() > draft.queuedAt + this.#options.limitMs) throw error;
        await this.#delay(error, attempt);
      }
    }
  }

  async #attempt(entry: Entry): Promise<WireMessage | null> {
    const { stream, connection, kept } = this.#options;
    const { draft } = entry;
    if ((await stream.wallet()) !== draft.wallet)
      throw new ParleyError('AUTHENTICATION_REQUIRED', 'This client is signed in as another wallet now.');
    await this.#adoption;
    if (this.#lanes.get(draft.to)?.[0] !== entry) return null;
    await this.#unpaused();
    if (entry.upload && !draft.mediaId) {
      draft.mediaId = await entry.upload();
      kept.put(draft);
    }
    const { id, to, content, type, mediaId } = draft;
    const file = mediaId ? { mediaId } : {};
    const answer = await connection.request('messages.send', { id, to, content, type, ...file });
    const { sequence, ...message } = answer;
    if (sequence !== undefined) stream.skip(sequence);
    return message;
  }

  async #unpaused(): Promise<void> {
    while (Date.now() < this.#pausedUntil) await sleep(this.#pausedUntil - Date.now());
  }

  /** A limit is the connection's, and so it is waited for by all. */
  async #delay(error: unknown, attempt: number): Promise<void> {
    const seconds = error instanceof ParleyError ? error.retryAfter : undefined;
    if (error instanceof ParleyError && error.code === 'RATE_LIMIT_EXCEEDED') {
      this.#pausedUntil = Math.max(this.#pausedUntil, Date.now() + (seconds ?? 1) * 1_000);
      return;
    }
    const backoff = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
    // Spread, so that not all clients of a server that is back come at once.
    await sleep(Math.max(backoff, (seconds ?? 0) * 1_000) * (0.75 + Math.random() / 2));
  }

  #settle(entry: Entry, message: WireMessage): void {
    if (!this.#take(entry)) return;
    this.#sent.add(message.id);
    const [oldest] = this.#sent;
    if (this.#sent.size > rememberedSent && oldest) this.#sent.delete(oldest);
    this.#options.kept.remove(entry.draft);
    entry.resolve(message);
  }

  #fail(entry: Entry, error: Error): void {
    if (!this.#take(entry)) return;
    // Signed out, or closed: who signs in again as this wallet still wants it sent.
    const isOver = error instanceof ParleyError && error.code === 'AUTHENTICATION_REQUIRED';
    if (isOver && entry.isAdopted) return this.#release(entry.draft.wallet);
    entry.error = error;
    this.#failed.set(entry.draft.id, entry);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > maxFailed && oldest) this.#failed.delete(oldest);
    if (!isOver) this.#options.kept.remove(entry.draft);
    this.#options.onFailed(entry.draft, error);
    entry.reject(error);
  }

  /** What was kept of this wallet's stays kept, until this client is signed in as it again. */
  #release(wallet: Address): void {
    this.#adoptedFor.once.delete(wallet);
    this.#adoptedFor.connected.delete(wallet);
  }

  /** Out of its lane. @returns false where the server's event was faster than its answer */
  #take(entry: Entry): boolean {
    const { to } = entry.draft;
    const lane = this.#lanes.get(to) ?? [];
    const left = lane.filter((each) => each !== entry);
    if (left.length > 0) this.#lanes.set(to, left);
    else this.#lanes.delete(to);
    return left.length < lane.length;
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
