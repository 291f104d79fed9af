import type { Address } from '../../protocol/common.ts';
import type { Recipient } from '../../protocol/group.ts';
import { ParleyError } from '../../protocol/errors.ts';
import type { MessageType, WireMessage } from '../../protocol/messages.ts';
import type { Connection } from '../connection/Connection.ts';
import type { EventStream } from '../connection/EventStream.ts';
import type { Draft, StoredDrafts } from './StoredDrafts.ts';
import { isTransient, pause } from '../connection/transient.ts';

interface OutboxOptions {
  connection: Connection;
  stream: EventStream;
  storedDrafts: StoredDrafts;
  /** How long sending a message is retried, in milliseconds. */
  limitMs: number;
  onSending: (draft: Draft) => void;
  onFailed: (draft: Draft, error: Error) => void;
  /** Called when a message from an earlier page was sent. The app has no promise for it. */
  onAdopted: (message: WireMessage) => void;
}

export interface Entry {
  draft: Draft;
  /** Uploads the message's file. @returns the id of the file, and the type of the message */
  upload?: (() => Promise<{ mediaId: string; type: MessageType }>) | undefined;
  error: Error | null;
  /** Whether the server may have stored the message, so that its content can only be changed by an edit. */
  isTried?: boolean;
  /** Whether the message is from an earlier page, so that the app has no promise for it. */
  isAdopted?: true;
  resolve: (message: WireMessage) => void;
  reject: (error: Error) => void;
}

/** The maximum number of conversations that send at the same time. */
const maxActive = 16;
/** The maximum number of attempts if they fail with INTERNAL, which is less likely to be temporary than a network error. */
const maxInternalAttempts = 10;
/** The maximum number of failed messages that are kept for retry(). */
const maxFailed = 100;
/** The maximum number of remembered ids of sent messages. */
const rememberedSent = 5_000;

/**
 * The messages the server has not stored yet. Each conversation sends one message at a time, in order, and retries it until the server has
 * stored it, across reconnects and rate limits. Because a message keeps its id, it is stored once even if it is sent several times.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  /** The queue of each recipient, in the order the messages were written. */
  readonly #queues = new Map<Recipient, Entry[]>();
  readonly #active = new Set<Recipient>();
  readonly #failed = new Map<string, Entry>();
  /** Ids of messages this client has sent, for which the app gets no `message:sent`. */
  readonly #sent = new Set<string>();
  #pausedUntil = 0;
  /** Wallets whose stored drafts were adopted: at any time (`once`), or while connected (`connected`). */
  readonly #adoptedFor = { once: new Set<Address>(), connected: new Set<Address>() };
  /** Resolves when all drafts have been adopted. Messages wait for it, because drafts of earlier pages are sent first. */
  #adoption: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions) {
    this.#options = options;
    // Drafts are adopted again once connected, because an earlier page of this tab may still have been open at the first adoption.
    options.stream.onWelcome((wallet) => {
      this.#adoptOnce(wallet, 'connected');
      void this.#adoption.then(() => this.#startSending());
    });
  }

  /** The messages that are being sent, and those that failed. */
  get entries(): Entry[] {
    return [...[...this.#queues.values()].flat(), ...this.#failed.values()];
  }

  /** Takes over the drafts of this wallet from earlier pages. They are sent before messages of this page. */
  adopt(wallet: Address): void {
    this.#adoptOnce(wallet, 'once');
  }

  /** Queues a message. Resolves when the server has stored it. @param isTried see Entry */
  add(draft: Draft, upload?: Entry['upload'], isTried = false): Promise<WireMessage> {
    this.adopt(draft.wallet);
    return new Promise((resolve, reject) => {
      // A message with a file that is not uploaded yet cannot be resumed after a reload.
      if (!upload) this.#options.storedDrafts.put(draft);
      this.#enqueue({ draft, upload, isTried, error: null, resolve, reject });
    });
  }

  /** Sends a failed message again. @returns null if no failed message has this id */
  retry(id: string): Promise<WireMessage> | null {
    const entry = this.#failed.get(id);
    if (!entry) return null;
    this.#failed.delete(id);
    this.#options.storedDrafts.remove(entry.draft);
    return this.add({ ...entry.draft, queuedAt: Date.now() }, entry.upload, entry.isTried);
  }

  /** Changes the content of a message that the server has not stored yet. @returns null if there is none with this id */
  edit(id: string, content: string): Entry | null {
    const queued = [...this.#queues.values()].flat().find(({ draft }) => draft.id === id);
    const entry = queued ?? this.#failed.get(id);
    if (!entry) return null;
    const { draft } = entry;
    if (entry.isTried) draft.edited = content;
    else draft.content = content;
    if (!queued) return entry;
    if (!entry.upload || draft.mediaId) this.#options.storedDrafts.put(draft);
    this.#options.onSending(draft);
    return entry;
  }

  /** Removes a failed message. */
  discard(id: string): void {
    const entry = this.#failed.get(id);
    this.#failed.delete(id);
    if (entry) this.#options.storedDrafts.remove(entry.draft);
  }

  /** Handles `message:sent`: the server has stored a message of this wallet. @returns whether this client sent it */
  confirm(message: WireMessage): boolean {
    const entry = this.#queues.get(message.to)?.find(({ draft }) => draft.id === message.id);
    // A message that was edited meanwhile is settled after the edit.
    if (entry && entry.draft.edited === undefined) this.#settle(entry, message);
    return entry !== undefined || this.#sent.has(message.id);
  }

  #adoptOnce(wallet: Address, when: 'once' | 'connected'): void {
    const { once, connected } = this.#adoptedFor;
    if (connected.has(wallet) || this.#adoptedFor[when].has(wallet)) return;
    (when === 'once' ? once : connected).add(wallet);
    this.#adoption = this.#adoption.then(() => this.#adopt(wallet)).catch(() => undefined);
  }

  /** Queues the adopted drafts. The next message or connection starts sending them. */
  async #adopt(wallet: Address): Promise<void> {
    const { storedDrafts, onAdopted, onSending } = this.#options;
    const adopted = await storedDrafts.adopt(wallet, (id) =>
      this.entries.some(({ draft }) => draft.id === id),
    );
    // In reverse order, because each draft is put at the front of its queue.
    for (const draft of [...adopted].reverse()) {
      const entry: Entry = {
        ...{ draft, error: null, isAdopted: true, isTried: true },
        ...{ resolve: onAdopted, reject: () => {} },
      };
      this.#queues.set(draft.to, [entry, ...(this.#queues.get(draft.to) ?? [])]);
    }
    for (const draft of adopted) onSending(draft);
  }

  #enqueue(entry: Entry): void {
    const { to } = entry.draft;
    this.#queues.set(to, [...(this.#queues.get(to) ?? []), entry]);
    this.#options.onSending(entry.draft);
    this.#startSending();
  }

  /** Starts the queues that are not being sent. */
  #startSending(): void {
    for (const to of this.#queues.keys()) {
      if (this.#active.size >= maxActive) return;
      if (this.#active.has(to)) continue;
      this.#active.add(to);
      void this.#sendQueue(to).finally(() => {
        this.#active.delete(to);
        this.#startSending();
      });
    }
  }

  async #sendQueue(to: Recipient): Promise<void> {
    for (let entry = this.#queues.get(to)?.[0]; entry; entry = this.#queues.get(to)?.[0]) {
      try {
        const message = await this.#send(entry);
        if (message) this.#settle(entry, message);
      } catch (error) {
        this.#fail(entry, error as Error);
      }
    }
  }

  /** @returns null if another message is now the first of the queue */
  async #send(entry: Entry): Promise<WireMessage | null> {
    const { draft } = entry;
    let mayUploadAgain = entry.upload !== undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(entry);
      } catch (error) {
        // The file was uploaded long ago, and has expired since.
        if (mayUploadAgain && draft.mediaId && isFileGone(error)) {
          mayUploadAgain = false;
          delete draft.mediaId;
          continue;
        }
        const isPermanent =
          error instanceof ParleyError && error.code === 'INTERNAL' && attempt >= maxInternalAttempts;
        if (!isTransient(error) || isPermanent) throw error;
        if (Date.now() > draft.queuedAt + this.#options.limitMs) throw error;
        await this.#delay(error, attempt);
      }
    }
  }

  async #attempt(entry: Entry): Promise<WireMessage | null> {
    const { stream, connection, storedDrafts } = this.#options;
    const { draft } = entry;
    if ((await stream.wallet()) !== draft.wallet)
      throw new ParleyError('AUTHENTICATION_REQUIRED', 'This client is now signed in with another wallet.');
    await this.#adoption;
    if (this.#queues.get(draft.to)?.[0] !== entry) return null;
    await this.#unpaused();
    if (entry.upload && !draft.mediaId) {
      Object.assign(draft, await entry.upload());
      storedDrafts.put(draft);
    }
    const { id, to, content, type, mediaId, replyTo } = draft;
    const refers = { ...(mediaId && { mediaId }), ...(replyTo && { replyTo }) };
    entry.isTried = true;
    const answer = await connection.request('messages.send', { id, to, content, type, ...refers });
    const { sequence, ...message } = answer;
    if (sequence !== undefined) stream.skip(sequence);
    return this.#edited(draft, message);
  }

  /** Sends the changes that were made to the draft since its content was sent. */
  async #edited(draft: Draft, stored: WireMessage): Promise<WireMessage> {
    let message = stored;
    for (
      let content = draft.edited;
      content !== undefined && content !== message.content;
      content = draft.edited
    ) {
      try {
        message = await this.#options.connection.request('messages.edit', { messageId: draft.id, content });
      } catch (error) {
        if (isTransient(error)) throw error;
        // The message was deleted meanwhile on another device, for example. It is sent, without the change.
        return message;
      }
    }
    return message;
  }

  async #unpaused(): Promise<void> {
    while (performance.now() < this.#pausedUntil) await sleep(this.#pausedUntil - performance.now());
  }

  /** Waits before the next attempt. A rate limit applies to the connection, so it pauses all queues. */
  async #delay(error: unknown, attempt: number): Promise<void> {
    if (!(error instanceof ParleyError && error.code === 'RATE_LIMIT_EXCEEDED')) return pause(error, attempt);
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + (error.retryAfter ?? 1) * 1_000);
  }

  #settle(entry: Entry, message: WireMessage): void {
    if (!this.#take(entry)) return;
    this.#sent.add(message.id);
    const [oldest] = this.#sent;
    if (this.#sent.size > rememberedSent && oldest) this.#sent.delete(oldest);
    this.#options.storedDrafts.remove(entry.draft);
    entry.resolve(message);
  }

  #fail(entry: Entry, error: Error): void {
    if (!this.#take(entry)) return;
    // After a sign-out or close the draft is kept, and sent when this wallet signs in again.
    const isOver = error instanceof ParleyError && error.code === 'AUTHENTICATION_REQUIRED';
    if (isOver && entry.isAdopted) return this.#release(entry.draft.wallet);
    entry.error = error;
    if (isRefusal(error)) becomeNew(entry);
    this.#failed.set(entry.draft.id, entry);
    const [oldest] = this.#failed.keys();
    if (this.#failed.size > maxFailed && oldest) this.#failed.delete(oldest);
    if (!isOver) this.#options.storedDrafts.remove(entry.draft);
    this.#options.onFailed(entry.draft, error);
    entry.reject(error);
  }

  /** Lets the stored drafts of this wallet be adopted again at its next sign-in. */
  #release(wallet: Address): void {
    this.#adoptedFor.once.delete(wallet);
    this.#adoptedFor.connected.delete(wallet);
  }

  /** Removes a message from its queue. @returns false if it was already removed, because `message:sent` came before the response */
  #take(entry: Entry): boolean {
    const { to } = entry.draft;
    const queue = this.#queues.get(to) ?? [];
    const rest = queue.filter((each) => each !== entry);
    if (rest.length > 0) this.#queues.set(to, rest);
    else this.#queues.delete(to);
    return rest.length < queue.length;
  }
}

/** The server has refused the message, so that the next attempt sends its latest content. */
function becomeNew(entry: Entry): void {
  const { draft } = entry;
  entry.isTried = false;
  if (draft.edited !== undefined) draft.content = draft.edited;
  delete draft.edited;
}

/** Whether the server has certainly not stored the message. */
const isRefusal = (error: Error) =>
  error instanceof ParleyError && ['VALIDATION_ERROR', 'NOT_FOUND', 'ACCESS_DENIED'].includes(error.code);
const isFileGone = (error: unknown) =>
  error instanceof ParleyError && error.code === 'NOT_FOUND' && error.extra?.resource === 'file';
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
