import type { Address } from '../protocol/common.ts';
import { isGroup, type Recipient } from '../protocol/group.ts';
import { ParleyError } from '../protocol/errors.ts';
import { newId } from '../protocol/ids.ts';
import type { MessageType, WireMessage } from '../protocol/messages.ts';
import { Acknowledgements } from './messages/Acknowledgements.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { fromWire } from './connection/fromWire.ts';
import { requireFile, toIso } from './connection/guard.ts';
import { quoteOf, refuseEmpty, toPending, typeOfFile } from './messages/pending.ts';
import { StoredDrafts, type Draft } from './messages/StoredDrafts.ts';
import type { Listeners } from './connection/Listeners.ts';
import { Outbox, type Entry } from './messages/Outbox.ts';
import { toRecipient } from './connection/toAddress.ts';
import { retryTransient } from './connection/transient.ts';
import type { FileAddress } from './platform/Platform.ts';
import { whenThere, type StoredItems } from './platform/StoredItems.ts';
import { TypingIndicators, typistOf } from './messages/TypingIndicators.ts';
import type { Conversation, MediaConfig, Message, Page, ParleyEvents, UploadOptions } from './types.ts';
import type { Uploads } from './http/uploads.ts';

/** The message to send. */
export interface SendMessage extends Pick<UploadOptions, 'onProgress' | 'signal'> {
  /** The recipient's wallet address, or the id of a group. */
  to: Recipient | (string & {});
  /** Up to 10,000 characters. It may be empty only with a file. */
  content: string;
  /** `text`, or the kind of the file in `media`: `file` for a document. */
  type: MessageType;
  /** The file of an image, video or audio message, or the document of a `file` message, up to 25 MB. */
  media?: MediaConfig;
  /**
   * The message of the same conversation that this one replies to, or its id. With the message itself, pending() shows the quote at once; with
   * an id, the quote appears when the server has stored the reply.
   */
  replyTo?: string | Pick<Message, 'id' | 'from' | 'content' | 'type'>;
}

/** The file to send in a message. */
export interface SendFile extends Omit<SendMessage, 'content' | 'type' | 'media'>, MediaConfig {
  /** The caption, up to 10,000 characters. @default none */
  content?: string;
}

/** What to search for. */
export interface MessageSearchQuery {
  /** 1 to 200 characters, with at least one letter, digit or emoji. */
  query: string;
  /** Only messages of the conversation with this wallet, or of this group. @default all conversations */
  with?: Recipient | (string & {});
  /** 1 to 100. @default 50 */
  limit?: number;
  /** The `nextCursor` of the previous page. @default the first page */
  cursor?: string;
}

/** Selects messages of a conversation. */
export interface MessageQuery {
  /** The other wallet, or the id of a group. */
  with: Recipient | (string & {});
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Messages to skip, 0 to 100,000. @default 0 */
  offset?: number;
  /** Only messages before this time. Use the timestamp of the oldest message to read the next page. */
  before?: Date;
  /**
   * The id of a message of this conversation, to read it with the messages before and after it: at most half of `limit` are newer. Not
   * together with `before` or `offset`. @default the latest messages
   */
  around?: string;
}

interface MessagesOptions {
  connection: Connection;
  stream: EventStream;
  events: Listeners<ParleyEvents>;
  uploads: Uploads;
  storage: StoredItems;
  /** The key prefix, which names the server. */
  storageKey: string;
  /** How long sending a message is retried before it fails. */
  limitMs: number;
  /** Returns the wallet of this client's session; null if it becomes known only when the client connects. */
  wallet: () => Address | null;
  /** Resolves when the wallet has been read from an asynchronous storage; null when there is nothing to wait for. */
  loading: () => Promise<void> | null;
}

const forwardedEvents = ['message:delivered', 'message:read', 'message:reaction', 'message:deleted'] as const;
/** How long a search is repeated while the server prepares it, in milliseconds. */
const searchLimitMs = 60_000;

/** Messages between wallets and in groups: `client.messages`. */
export class Messages {
  readonly #options: MessagesOptions;
  readonly #outbox: Outbox;
  readonly #acknowledgements: Acknowledgements;
  readonly #typing: TypingIndicators;
  #connecting: Promise<Address> | null = null;

  constructor(options: MessagesOptions) {
    this.#options = options;
    const { connection, stream, events, storage, storageKey, limitMs } = options;
    this.#acknowledgements = new Acknowledgements(connection);
    this.#typing = new TypingIndicators(connection, events);
    this.#outbox = new Outbox({
      connection,
      stream,
      limitMs,
      storedDrafts: new StoredDrafts(storage, storageKey, connection),
      onSending: (draft) => events.emit('message:sending', toPending(draft, 'sending')),
      onFailed: (draft, error) =>
        events.emit('message:failed', { message: toPending(draft, 'failed'), error }),
      onAdopted: (message) => events.emit('message:sent', fromWire(message)),
    });
    void whenThere(options.loading(), () => {
      const wallet = options.wallet();
      if (wallet) this.#outbox.adopt(wallet);
    });
    for (const name of forwardedEvents)
      stream.on(name, (payload) => events.emit(name, fromWire(payload) as never));
    stream.on('message:edited', (message) => {
      // A node of an older release passes only a reference on.
      if ('id' in message) events.emit('message:edited', fromWire(message));
    });
    stream.on('message:received', (message) => this.#onReceived(message));
    stream.on('message:sent', (message) => {
      if (!this.#outbox.confirm(message)) events.emit('message:sent', fromWire(message));
    });
  }

  /**
   * Sends a message. It appears in pending() immediately, and `message:sending` is emitted. The promise resolves when the server has stored
   * the message. If the network or the server is unavailable, the client retries for `sendLimitSeconds`. Messages to one wallet or group
   * keep their order, and each is delivered once.
   * @param message the recipient, the text of up to 10,000 characters, for other types the file, and the message it replies to
   * @param message.onProgress called during the upload of the file, with bytes
   * @param message.signal aborts the upload of the file
   * @returns the stored message
   * @throws ParleyError INVALID_ADDRESS: the recipient is neither a wallet address nor the id of a group
   * @throws ParleyError ACCESS_DENIED: this wallet is not a member of the group
   * @throws ParleyError VALIDATION_ERROR: the text or file is missing or too large, the file is not of the `type`, or the recipient is this
   * wallet itself
   * @throws ParleyError NOT_FOUND: this wallet can see no message `replyTo` in the conversation, or is in no such group
   * @throws ParleyError CONFLICT: this wallet has too many unused uploads, or the storage quota of the wallet or server is used up
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session, or it is now that of another wallet
   * @throws ParleyError SERVICE_UNAVAILABLE: the server was not available, or stores no files, for `sendLimitSeconds`
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for `sendLimitSeconds`. Aborted by `signal`, the promise rejects
   * with the reason of the signal
   * @example await client.messages.send({ to: '0x…', content: 'Hello', type: 'text' });
   */
  async send({ media, ...message }: SendMessage): Promise<Message> {
    if (media) requireFile('messages.send', 'media.file', media.file);
    return this.#send(message, media && (() => this.#upload(media, message, message.type)));
  }

  /**
   * Sends a file in a message of the fitting type: `image`, `video` or `audio` if the server can show or play it, otherwise `file`: a document
   * that the recipient downloads unchanged. The promise, the events and the retries are those of send().
   * @param message the recipient, the file of up to 25 MB, its name, a caption, and the message it replies to
   * @param message.onProgress called during the upload, with bytes
   * @param message.signal aborts the upload
   * @returns the stored message
   * @throws ParleyError INVALID_ADDRESS: the recipient is neither a wallet address nor the id of a group
   * @throws ParleyError VALIDATION_ERROR: the file is empty or too large, the caption is too long, or the recipient is this wallet itself
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for `sendLimitSeconds`. The other errors are those of send()
   * @example await client.messages.sendFile({ to: '0x…', file: new Blob(['…']), name: 'contract.txt', content: 'The contract' });
   */
  async sendFile({ file, mimeType, name, content = '', ...message }: SendFile): Promise<Message> {
    requireFile('messages.sendFile', 'file', file);
    const about = file as Partial<FileAddress>;
    const type = typeOfFile(mimeType ?? about.type, name ?? about.name ?? about.uri);
    const media = { file, ...(name !== undefined && { name }) };
    const upload = () =>
      this.#upload(media, message, type).catch((error: unknown) => {
        const isUnsupported = error instanceof ParleyError && error.reason === 'unsupported_media_type';
        if (!isUnsupported || type === 'file') throw error;
        return this.#upload(media, message, 'file');
      });
    return this.#send({ ...message, content, type }, upload);
  }

  /**
   * Changes the content of a message that this wallet has sent: a text or a caption. All wallets of the conversation get `message:edited`. A message that the
   * server has not stored yet is changed before or directly after it is stored.
   * @param messageId the id of the message
   * @param content up to 10,000 characters. It may be empty only with a file
   * @returns the changed message
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError ACCESS_DENIED: another wallet sent the message, or this one is no longer a member of the group
   * @throws ParleyError CONFLICT: the message was deleted
   * @throws ParleyError VALIDATION_ERROR: the content is too long, or empty without a file
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many messages and edits. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example await client.messages.edit('msg_…', 'Hello again');
   */
  async edit(messageId: string, content: string): Promise<Message> {
    const unsent = this.#outbox.entries.find(({ draft }) => draft.id === messageId);
    if (unsent) refuseEmpty(content, unsent.draft);
    const changed = this.#outbox.edit(messageId, content);
    if (changed) return toPending(changed.draft, changed.error ? 'failed' : 'sending');
    return fromWire(await this.#options.connection.request('messages.edit', { messageId, content }));
  }

  /**
   * Finds messages that contain all words of a query, newest first, in all conversations of this wallet or in one. A word of the query also
   * finds words that begin with it. Case and accents do not matter. Hidden and deleted messages are not found. The server prepares the
   * search of a wallet when it searches for the first time; with very many messages, this can take some seconds.
   * @param search the query of up to 200 characters, the other wallet or the group, and which page. Default: the latest 50 messages
   * @returns a page of messages
   * @throws ParleyError VALIDATION_ERROR: the query has no letter, digit or emoji, or a field is out of bounds
   * @throws ParleyError INVALID_ADDRESS: `with` is neither a wallet address nor the id of a group
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server is still preparing the search. Try again later
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const { data, nextCursor } = await client.messages.search({ query: 'dinner fri' });
   */
  async search({ with: peer, ...search }: MessageSearchQuery): Promise<Page<Message>> {
    const request = { ...search, ...(peer !== undefined && { with: toRecipient(peer) }) };
    const until = Date.now() + searchLimitMs;
    const page = await retryTransient(
      () => this.#options.connection.request('messages.search', request),
      () => Date.now() < until,
      (error) => error instanceof ParleyError && error.code === 'SERVICE_UNAVAILABLE',
    );
    return fromWire(page);
  }

  /**
   * Returns the messages that the server has not stored yet, with status `sending` or `failed`.
   * @param peer only messages to this wallet or group. Default: all messages
   * @returns the messages, in the order in which they are sent
   * @throws ParleyError INVALID_ADDRESS: `peer` is neither a wallet address nor the id of a group. It is thrown, because this method is synchronous
   */
  pending(peer?: Recipient | (string & {})): Message[] {
    const to = peer === undefined ? undefined : toRecipient(peer);
    const wallet = this.#options.wallet() ?? this.#options.stream.lastWallet;
    return this.#outbox.entries
      .filter(({ draft }) => wallet === null || draft.wallet === wallet)
      .filter(({ draft }) => to === undefined || draft.to === to)
      .map(({ draft, error }) => toPending(draft, error ? 'failed' : 'sending'));
  }

  /**
   * Sends a failed message again.
   * @param messageId the id of the failed message
   * @returns the stored message
   * @throws ParleyError NOT_FOUND: no failed message has this id
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for `sendLimitSeconds`. The other errors are those of send()
   */
  async retry(messageId: string): Promise<Message> {
    const retried = this.#outbox.retry(messageId);
    if (!retried) throw new ParleyError('NOT_FOUND', 'No failed message has this id.');
    return fromWire(await retried);
  }

  /**
   * Removes a failed message from pending(). Does nothing if no failed message has this id. Never throws.
   * @param messageId the id of the failed message
   */
  discard(messageId: string): void {
    this.#outbox.discard(messageId);
  }

  /**
   * Lists conversations, latest first: those with messages, and the groups of which this wallet is a member or to which it is invited.
   * @param query.limit 1 to 100. Default: 100
   * @param query.offset conversations to skip, 0 to 100,000. Default: 0
   * @returns the conversations
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async getConversations(query: { limit?: number; offset?: number } = {}): Promise<Conversation[]> {
    const conversations = await this.#options.connection.request('messages.getConversations', query);
    return fromWire(conversations);
  }

  /**
   * Reads the conversation with a wallet, or of a group. Before the first message, its `lastMessage` is null.
   * @param peer the address of the other wallet, or the id of the group
   * @returns the conversation
   * @throws ParleyError INVALID_ADDRESS: `peer` is neither a wallet address nor the id of a group
   * @throws ParleyError NOT_FOUND: this wallet never was in such a group, and is not invited to it
   */
  async getConversation(peer: Recipient | (string & {})): Promise<Conversation> {
    const request = { with: toRecipient(peer) };
    return fromWire(await this.#options.connection.request('messages.getConversation', request));
  }

  /**
   * Reads the messages of a conversation, newest first.
   * @param query the other wallet or the group, and which messages. Default: the latest 50
   * @returns the messages
   * @throws ParleyError INVALID_ADDRESS: `with` is neither a wallet address nor the id of a group
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds, or `around` is combined with `before` or `offset`
   * @throws ParleyError NOT_FOUND: this wallet sees no message `around` in the conversation, or never was in such a group
   * @example const messages = await client.messages.getMessages({ with: '0x…', limit: 20 });
   */
  async getMessages({ before, with: peer, ...query }: MessageQuery): Promise<Message[]> {
    const wire = await this.#options.connection.request('messages.getMessages', {
      ...query,
      with: toRecipient(peer),
      ...(before ? { before: toIso('before', before) } : {}),
    });
    // Acknowledged here too, because this device may not have been connected when the messages arrived.
    const [newest] = wire.filter(({ from, to }) =>
      isGroup(to) ? from !== this.#options.stream.lastWallet : from === toRecipient(peer),
    );
    if (newest) this.#acknowledgements.add(newest);
    return fromWire(wire);
  }

  /**
   * Marks a received message and all before it as read.
   * @param messageId the id of the message
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError ACCESS_DENIED: this wallet sent the message
   */
  async markAsRead(messageId: string): Promise<void> {
    await this.#options.connection.request('messages.markAsRead', { messageId });
  }

  /**
   * Adds a reaction. A wallet may add up to ten different emoji to a message.
   * @param messageId the id of the message
   * @param emoji one emoji
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError VALIDATION_ERROR: not one emoji
   * @throws ParleyError CONFLICT: the message was deleted, or has ten reactions of this wallet
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async addReaction(messageId: string, emoji: string): Promise<void> {
    await this.#options.connection.request('messages.addReaction', { messageId, emoji });
  }

  /**
   * Removes one of this wallet's reactions.
   * @param messageId the id of the message
   * @param emoji the emoji
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError CONFLICT: the message was deleted
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  async removeReaction(messageId: string, emoji: string): Promise<void> {
    await this.#options.connection.request('messages.removeReaction', { messageId, emoji });
  }

  /**
   * Deletes a message, for this wallet only or for everyone.
   * @param messageId the id of the message
   * @param options.forEveryone deletes the content for all wallets and sets `deletedAt`. Only for the sender. Default: false
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError ACCESS_DENIED: another wallet sent the message, so it cannot be deleted for everyone
   */
  async delete(messageId: string, options: { forEveryone?: boolean } = {}): Promise<void> {
    await this.#options.connection.request('messages.delete', { messageId, ...options });
  }

  /**
   * Shows another wallet, or the members of a group, that this wallet is typing. May be called on every key press. The indicator ends 5 seconds after the last call.
   * @param to the address of the other wallet, or the id of the group
   * @param typing false ends the indicator immediately
   * @throws ParleyError INVALID_ADDRESS: `to` is neither a wallet address nor the id of a group
   * @throws ParleyError VALIDATION_ERROR: this wallet's own address
   * @throws ParleyError ACCESS_DENIED: this wallet is not a member of the group
   */
  async setTyping(to: Recipient | (string & {}), typing: boolean): Promise<void> {
    await this.#typing.set(toRecipient(to), typing);
  }

  #onReceived(message: WireMessage): void {
    this.#typing.stop(typistOf(message));
    this.#options.events.emit('message:received', fromWire(message));
    this.#acknowledgements.add(message);
  }

  async #send(
    { to, content, type, replyTo }: Omit<SendMessage, 'media'>,
    upload: Entry['upload'],
  ): Promise<Message> {
    const recipient = toRecipient(to);
    const { stream, loading } = this.#options;
    if (loading()) await loading();
    const wallet = this.#options.wallet() ?? stream.lastWallet ?? (await this.#firstWallet());
    const draft: Draft = { id: newId('msg'), wallet, to: recipient, content, type, queuedAt: Date.now() };
    if (typeof replyTo === 'string') draft.replyTo = replyTo;
    else if (replyTo) Object.assign(draft, { replyTo: replyTo.id, quote: quoteOf(replyTo) });
    return fromWire(await this.#outbox.add(draft, upload));
  }

  /**
   * The wallet of the first connection. A message waits for it as long as for later connections. All of them wait together, which keeps their
   * order.
   */
  #firstWallet(): Promise<Address> {
    const { stream, limitMs } = this.#options;
    const until = Date.now() + limitMs;
    this.#connecting ??= retryTransient(
      () => stream.wallet(),
      () => Date.now() < until,
    ).finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  async #upload(
    { file, name }: MediaConfig,
    { onProgress, signal }: Pick<UploadOptions, 'onProgress' | 'signal'>,
    type: MessageType,
  ): Promise<{ mediaId: string; type: MessageType }> {
    const options = {
      ...(name !== undefined && { name }),
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
      ...(type === 'file' && { as: 'file' as const }),
    };
    return { mediaId: (await this.#options.uploads.upload(file, options)).id, type };
  }
}
