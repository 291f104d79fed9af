import type { Address } from '../protocol/common.ts';
import { ParleyError } from '../protocol/errors.ts';
import { newId } from '../protocol/ids.ts';
import type { MessageType, WireMessage } from '../protocol/messages.ts';
import { Acknowledgements } from './messages/Acknowledgements.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { fromWire } from './connection/fromWire.ts';
import { toIso } from './connection/guard.ts';
import { KeptOutbox, type Draft } from './messages/KeptOutbox.ts';
import type { Listeners } from './connection/Listeners.ts';
import { Outbox, type Entry } from './messages/Outbox.ts';
import { toAddress } from './connection/toAddress.ts';
import { TypingSigns } from './messages/TypingSigns.ts';
import type {
  Conversation,
  MediaConfig,
  Message,
  ParleyEvents,
  SessionStorage,
  UploadOptions,
} from './types.ts';
import type { Uploads } from './http/uploads.ts';

type Following = Pick<UploadOptions, 'onProgress' | 'signal'>;

interface SendMessage extends Following {
  /** The recipient's wallet address. */
  to: Address | (string & {});
  /** Up to 10,000 characters; empty only with a file. */
  content: string;
  type: MessageType;
  /** What an image, video or audio is: up to 25 MB. */
  media?: MediaConfig;
}

interface MessageQuery {
  with: Address | (string & {});
  /** 1 to 100; 50 by default. */
  limit?: number;
  offset?: number;
  /** Those before this time alone: the timestamp of the oldest one known gives the next page. */
  before?: Date;
}

interface MessagesOptions {
  connection: Connection;
  stream: EventStream;
  events: Listeners<ParleyEvents>;
  uploads: Uploads;
  storage?: SessionStorage | undefined;
  /** Names the server. */
  storageKey: string;
  /** How long a message is tried before it has failed. */
  limitMs: number;
  /** Whose session this client has, as far as it knows before it is connected. */
  wallet: () => Address | null;
}

const passedOn = ['message:delivered', 'message:read', 'message:reaction', 'message:deleted'] as const;

/** Messages between wallets: `client.messages`. */
export class Messages {
  readonly #options: MessagesOptions;
  readonly #outbox: Outbox;
  readonly #acknowledgements: Acknowledgements;
  readonly #typing: TypingSigns;

  constructor(options: MessagesOptions) {
    this.#options = options;
    const { connection, stream, events, storage, storageKey, limitMs } = options;
    this.#acknowledgements = new Acknowledgements(connection);
    this.#typing = new TypingSigns(connection, events);
    this.#outbox = new Outbox({
      ...{ connection, stream, limitMs, kept: new KeptOutbox(storage, storageKey) },
      onSending: (draft) => events.emit('message:sending', toPending(draft, 'sending')),
      onFailed: (draft, error) =>
        events.emit('message:failed', { message: toPending(draft, 'failed'), error }),
      onAdopted: (message) => events.emit('message:sent', fromWire(message)),
    });
    const wallet = options.wallet();
    if (wallet) this.#outbox.adopt(wallet);
    for (const name of passedOn) stream.on(name, (payload) => events.emit(name, fromWire(payload) as never));
    stream.on('message:received', (message) => this.#onReceived(message));
    stream.on('message:sent', (message) => {
      if (!this.#outbox.confirm(message)) events.emit('message:sent', fromWire(message));
    });
  }

  /**
   * Sends a message. It is in `pending()` at once, and `message:sending` tells of it; the promise resolves when the server has
   * stored it. While network or server are away it is tried again, in order, and arrives once.
   * @throws ParleyError INVALID_ADDRESS, VALIDATION_ERROR; or what still stood in the way after a day
   * @example await client.messages.send({ to: '0x…', content: 'Hello', type: 'text' });
   */
  async send({ to, content, type, media, onProgress, signal }: SendMessage): Promise<Message> {
    const recipient = toAddress(to);
    const { stream } = this.#options;
    const wallet = this.#options.wallet() ?? stream.lastWallet ?? (await stream.wallet());
    const draft: Draft = { id: newId('msg'), wallet, to: recipient, content, type, queuedAt: Date.now() };
    const upload =
      media && this.#uploading(media, { ...(onProgress && { onProgress }), ...(signal && { signal }) });
    return fromWire(await this.#outbox.add(draft, upload));
  }

  /** What this client has not brought to the server yet: `sending`, or `failed`. @param peer with this wallet alone */
  pending(peer?: Address | (string & {})): Message[] {
    const to = peer === undefined ? undefined : toAddress(peer);
    const wallet = this.#options.wallet() ?? this.#options.stream.lastWallet;
    return this.#outbox.entries
      .filter(({ draft }) => wallet === null || draft.wallet === wallet)
      .filter(({ draft }) => to === undefined || draft.to === to)
      .map(({ draft, error }) => toPending(draft, error ? 'failed' : 'sending'));
  }

  /** Tries one that failed again. @throws ParleyError NOT_FOUND, and what send() throws */
  async retry(messageId: string): Promise<Message> {
    const retried = this.#outbox.retry(messageId);
    if (!retried) throw new ParleyError('NOT_FOUND', 'There is no such message that failed.');
    return fromWire(await retried);
  }

  /** Forgets one that failed. */
  discard(messageId: string): void {
    this.#outbox.discard(messageId);
  }

  /** The latest first. @param query.limit 1 to 100; 100 by default */
  async getConversations(query: { limit?: number; offset?: number } = {}): Promise<Conversation[]> {
    const conversations = await this.#options.connection.request('messages.getConversations', query);
    return fromWire(conversations);
  }

  /** The one with this wallet, which is empty before the first message. */
  async getConversation(peer: Address | (string & {})): Promise<Conversation> {
    const request = { with: toAddress(peer) };
    return fromWire(await this.#options.connection.request('messages.getConversation', request));
  }

  /** Newest first. */
  async getMessages({ before, with: peer, ...query }: MessageQuery): Promise<Message[]> {
    const wire = await this.#options.connection.request('messages.getMessages', {
      ...query,
      with: toAddress(peer),
      ...(before ? { before: toIso('before', before) } : {}),
    });
    // Of a device that was not there when they came.
    const [newest] = wire.filter(({ from }) => from === toAddress(peer));
    if (newest) this.#acknowledgements.add(newest);
    return fromWire(wire);
  }

  /** This one and all before it. @throws ParleyError ACCESS_DENIED for one of this wallet's own */
  async markAsRead(messageId: string): Promise<void> {
    await this.#options.connection.request('messages.markAsRead', { messageId });
  }

  /** One of each emoji and person, ten of a person. @throws ParleyError CONFLICT where it was deleted */
  async addReaction(messageId: string, emoji: string): Promise<void> {
    await this.#options.connection.request('messages.addReaction', { messageId, emoji });
  }

  async removeReaction(messageId: string, emoji: string): Promise<void> {
    await this.#options.connection.request('messages.removeReaction', { messageId, emoji });
  }

  /** Hides it from this wallet. @param options.forEveryone by its sender alone: nothing but the fact is left of it */
  async delete(messageId: string, options: { forEveryone?: boolean } = {}): Promise<void> {
    await this.#options.connection.request('messages.delete', { messageId, ...options });
  }

  /** May be called with every key that is pressed; without that, the other hears after 5 s that nobody types. */
  async setTyping(to: Address | (string & {}), typing: boolean): Promise<void> {
    await this.#typing.set(toAddress(to), typing);
  }

  #onReceived(message: WireMessage): void {
    this.#typing.stop(message.from);
    this.#options.events.emit('message:received', fromWire(message));
    this.#acknowledgements.add(message);
  }

  #uploading({ file, ...about }: MediaConfig, options: Following): NonNullable<Entry['upload']> {
    return async () => (await this.#options.uploads.upload(file, { ...about, ...options })).id;
  }
}

/** As the app sees it before the server does. */
function toPending(
  { id, wallet, to, content, type, queuedAt }: Draft,
  status: 'sending' | 'failed',
): Message {
  return {
    ...{ id, from: wallet, to, content, type, status },
    ...{ timestamp: new Date(queuedAt), media: null, reactions: [], deletedAt: null },
  };
}
