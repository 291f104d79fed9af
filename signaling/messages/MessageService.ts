import type { Logger } from 'pino';
import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { isGroup, type GroupId, type Recipient } from '../../sdk/protocol/group.ts';
import type { WireConversation, WireMessage, WireReceipt } from '../../sdk/protocol/messages.ts';
import type { PushMessage } from '../../sdk/protocol/notifications.ts';
import type { EventOf, RequestOf, ResponseOf } from '../../sdk/protocol/wire.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { EventLog } from '../events/EventLog.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { GroupService } from '../groups/GroupService.ts';
import type { GroupStore } from '../groups/GroupStore.ts';
import type { Notifier } from '../socket/Notifier.ts';
import type { Attachments } from './Attachments.ts';
import { conversationId } from './conversationId.ts';
import { isHidden, type ConversationState, type MarkedMessage, type MessageStore } from './MessageStore.ts';
import type { MessageWriter, NewMessage, Stored } from './MessageWriter.ts';
import type { Receipts } from './Receipts.ts';
import type { MessageRow } from './tables.ts';
import { statusOf, toMessage, toNewMessage, toQuote, type Referred } from './toWire.ts';

interface MessageDeps {
  store: MessageStore;
  writer: MessageWriter;
  receipts: Receipts;
  groups: Pick<GroupService, 'requireMember' | 'requireKnown'>;
  groupStore: Pick<GroupStore, 'wallets' | 'summaries'>;
  events: EventLog;
  notifier: Notifier;
  blockList: Pick<BlockList, 'has'>;
  /** Null if there is no file storage. Then only text messages can be sent. */
  attachments: Attachments | null;
  /** Limits how many messages a wallet may send. */
  perSender: Limit;
  /** The number of messages per minute that `perSender` allows. */
  messagesPerSender: number;
  log: Logger;
}

/** The stored form of `message:received`, `message:sent` and `message:edited`. The message is read when the event is delivered. */
export interface Reference {
  messageId: string;
}

const bytesPerPoint = 1_000;
const walletsPerPoint = 25;

/** The rules of messages: permission, visibility and events. For reactions and deletion see MessageChanges. */
export class MessageService {
  readonly #deps: MessageDeps;

  constructor(deps: MessageDeps) {
    this.#deps = deps;
    for (const event of ['message:received', 'message:sent', 'message:edited'] as const)
      deps.events.render(event, (wallet, stored) => this.#render(wallet, stored as Reference[]));
    deps.events.render('message:delivered', (wallet, stored) =>
      this.#withMarks(wallet, stored as WireReceipt[]),
    );
    deps.events.render('message:read', (wallet, stored) => this.#renderRead(wallet, stored as WireReceipt[]));
  }

  /** Resolves once the message is stored. A message that is sent again with the same id is stored only once. */
  async send(
    context: RequestContext,
    request: RequestOf<'messages.send'>,
  ): Promise<ResponseOf<'messages.send'>> {
    const { id, to, content, type, mediaId = null, replyTo = null } = request;
    const { wallet } = context;
    refuseSelf(to, wallet);
    const conversation = conversationId(wallet, to);
    const message = { id, conversation, sender: wallet, recipient: to, type, content, mediaId, replyTo };
    try {
      return await this.#sendNew(context, message);
    } catch (error) {
      const isRefused = error instanceof ParleyError && ['NOT_FOUND', 'ACCESS_DENIED'].includes(error.code);
      // The request may have been allowed the first time: a client that takes it for refused would let its user send it again.
      const earlier = isRefused ? await this.#earlier(message, await this.#walletsOf(message)) : null;
      if (!earlier) throw error;
      return earlier;
    }
  }

  async #sendNew(context: RequestContext, message: NewMessage): Promise<ResponseOf<'messages.send'>> {
    const { recipient: to, content, replyTo } = message;
    const { wallet, socketId } = context;
    if (isGroup(to)) await this.#deps.groups.requireMember(wallet, to);
    const wallets = await this.#walletsOf(message);
    await this.countContent(context, content, wallets.length);
    if (replyTo !== null) await this.#requireQuotable(message, replyTo);
    const stored = await this.#store(message, wallets);
    if (!stored) return this.#again(message, wallets);
    try {
      const wire = await this.#deliverStored(message, stored, socketId);
      return { ...wire, sequence: stored.sent };
    } catch (error) {
      // The message is stored, so its devices have to learn of it even if the request is not repeated.
      this.#deps.events.doubt([wallet, ...stored.received.map((each) => each.wallet)]);
      throw error;
    }
  }

  /** The conversation with the latest message comes first. */
  async conversations(
    wallet: Address,
    query: RequestOf<'messages.getConversations'>,
  ): Promise<WireConversation[]> {
    return this.#toConversations(wallet, await this.#deps.store.conversations(wallet, query));
  }

  /** The conversation with this wallet or group; that with a wallet is empty when they have not exchanged messages. */
  async conversation(wallet: Address, peer: Recipient): Promise<WireConversation> {
    if (isGroup(peer)) await this.#deps.groups.requireKnown(wallet, peer);
    const [found] = await this.#deps.store.conversations(wallet, { peer, limit: 1, offset: 0 });
    const empty = { id: conversationId(wallet, peer), peer, last: null, unreadCount: 0, changedAt: null };
    const [conversation] = await this.#toConversations(wallet, [found ?? empty]);
    return conversation as WireConversation;
  }

  /** Newest first. */
  async messages(wallet: Address, query: RequestOf<'messages.getMessages'>): Promise<WireMessage[]> {
    const { store } = this.#deps;
    const { around, with: peer, limit } = query;
    if (isGroup(peer)) await this.#deps.groups.requireKnown(wallet, peer);
    if (around === undefined) return this.toMessages(wallet, await store.page(wallet, query));
    const { conversation, sentAt } = await this.visible(wallet, around);
    if (conversation !== conversationId(wallet, peer))
      throw new ParleyError('NOT_FOUND', 'around: this conversation has no such message.');
    const newer = Math.floor(limit / 2);
    const pages = await Promise.all([
      store.pageAfter(wallet, { with: peer, limit: newer, after: sentAt }),
      // The message itself is the first of these: times are whole milliseconds.
      store.page(wallet, { ...query, limit: limit - newer, before: toIso(new Date(sentAt.getTime() + 1)) }),
    ]);
    return this.toMessages(wallet, pages.flat());
  }

  /** Marks this message and all before it as read. */
  async markAsRead(wallet: Address, messageId: string): Promise<void> {
    const row = await this.visible(wallet, messageId);
    if (row.sender === wallet)
      throw new ParleyError(
        'ACCESS_DENIED',
        'Only a recipient can mark a message as read: mark a received one.',
      );
    await this.#deps.receipts.read(wallet, messageId);
  }

  /** Finds a message that the wallet can see. @throws ParleyError NOT_FOUND, even if the message exists but the wallet cannot see it */
  async visible(wallet: Address, messageId: string): Promise<MessageRow> {
    const [found] = await this.#deps.store.find([messageId], wallet);
    if (!found?.isVisible)
      throw new ParleyError('NOT_FOUND', 'There is no such message: it may have been deleted.');
    return found.message;
  }

  /**
   * Counts a content against the sender's limit. A long message uses more storage, and one to a large group is sent more often, so these count
   * as much as several messages.
   */
  async countContent(context: RequestContext, content: string, reached: number): Promise<void> {
    const { perSender, messagesPerSender } = this.#deps;
    const points =
      Math.ceil(Buffer.byteLength(content) / bytesPerPoint) + Math.floor(reached / walletsPerPoint);
    await perSender.consume(context, Math.max(1, Math.min(points, messagesPerSender)));
  }

  /** Counts a change of a message, which is sent to the same wallets, like a message with this content. */
  async countChange(context: RequestContext, message: MessageRow, content = ''): Promise<void> {
    await this.countContent(context, content, (await this.#walletsOf(message)).length);
  }

  /** A message that was deleted for everyone meanwhile can be replied to: the reply may have waited in an outbox. */
  async #requireQuotable({ sender, conversation }: NewMessage, replyTo: string): Promise<void> {
    const [original] = await this.#deps.store.find([replyTo], sender);
    if (original?.message.conversation === conversation && original.isVisible) return;
    throw new ParleyError(
      'NOT_FOUND',
      'replyTo: you can see no such message in this conversation. Reply to one of its messages.',
    );
  }

  /** @param wallets those that take part in the conversation now */
  async #store(message: NewMessage, wallets: Address[]): Promise<Stored | null> {
    const { writer, attachments, events } = this.#deps;
    const { sender: wallet, type, mediaId } = message;
    try {
      if (type === 'text' || mediaId === null) return await writer.store(message);
      if (!attachments)
        throw new ParleyError('SERVICE_UNAVAILABLE', 'This server has no file storage: send text only.');
      return await writer.storeAnd(message, (executor) =>
        attachments.attach(executor, { fileId: mediaId, wallet, type }),
      );
    } catch (error) {
      // The connection to the database was lost, so it is unknown whether the message was stored.
      if (!(error instanceof ParleyError)) events.doubt(wallets);
      throw error;
    }
  }

  /** The wallets that take part in the conversation now. */
  async #walletsOf({ sender, recipient }: Pick<MessageRow, 'sender' | 'recipient'>): Promise<Address[]> {
    return isGroup(recipient) ? this.#deps.groupStore.wallets(recipient) : [sender, recipient];
  }

  /** Answers a request whose message is already stored: the earlier answer was lost, and perhaps the events too. */
  async #again(message: NewMessage, wallets: Address[]): Promise<WireMessage> {
    const earlier = await this.#earlier(message, wallets);
    if (earlier) return earlier;
    const { sender, recipient } = message;
    // The sender was removed from the group in the meantime.
    if (isGroup(recipient)) await this.#deps.groups.requireMember(sender, recipient);
    throw new ParleyError('CONFLICT', 'id: another message has this id; create a new id.');
  }

  /** The answer to an earlier request of this message. Null if it is not stored. */
  async #earlier(message: NewMessage, wallets: Address[]): Promise<WireMessage | null> {
    const { store, events } = this.#deps;
    const [found] = await store.find([message.id], message.sender);
    if (!found || !isSame(found.message, message)) return null;
    events.doubt(wallets);
    const [wire] = await this.toMessages(message.sender, [found]);
    return wire ?? null;
  }

  /** Sends the events of a message to connected devices. Call after the commit. A push was scheduled with the message. */
  async #deliverStored(message: NewMessage, stored: Stored, bySocket: string): Promise<WireMessage> {
    const { notifier } = this.#deps;
    const { sender, recipient, id } = message;
    const { sent, received } = stored;
    const referred = await this.#referredBy([message], sender);
    const wire = toNewMessage(message, stored, sender, referred);
    // Only a quote can look different to the wallets.
    const original = message.replyTo === null ? undefined : referred.quoted.get(message.replyTo)?.message;
    const shownTo = original && new Set(await this.#deps.store.audience(original));
    for (const { wallet, sequence } of received) {
      const isVisible = shownTo?.has(wallet) === true && !(original && isHidden(original, wallet));
      const replyTo = original ? toQuote({ message: original, isVisible }, wallet) : null;
      notifier.toWallet(wallet, 'message:received', { ...wire, replyTo }, { sequence });
    }
    // The sending device gets the message as the answer to its request.
    notifier.toWallet(sender, 'message:sent', wire, { sequence: sent, exceptSocket: bySocket });
    this.#deps.log.debug({ messageId: id, wallet: sender, to: recipient, type: wire.type }, 'message stored');
    return wire;
  }

  /** The group of a message, for a push about it; `old` if the wallet already has the message, can no longer see it, or has blocked the sender. */
  async pushOf(wallet: Address, messageId: string): Promise<Pick<PushMessage, 'group'> | 'old'> {
    const { store, groupStore, blockList } = this.#deps;
    const [row] = await store.find([messageId], wallet);
    if (!row?.isVisible || row.message.deletedAt || statusOf(row.message.sentAt, row) !== 'sent')
      return 'old';
    const { sender, recipient } = row.message;
    if (!isGroup(recipient) && (await blockList.has(wallet, sender))) return 'old';
    const group = isGroup(recipient) && (await groupStore.summaries(wallet, [recipient])).get(recipient);
    return group ? { group: { id: group.id, name: group.name } } : {};
  }

  async #render(wallet: Address, references: Reference[]): Promise<(WireMessage | null)[]> {
    const ids = references.map(({ messageId }) => messageId);
    const found = await this.#deps.store.find(ids, wallet);
    const wire = await this.toMessages(
      wallet,
      found.filter(({ isVisible }) => isVisible),
    );
    const byId = new Map(wire.map((message) => [message.id, message]));
    return references.map(({ messageId }) => byId.get(messageId) ?? null);
  }

  /** A wallet that has hidden a message still gets its receipt, but not its content. */
  async #renderRead(wallet: Address, receipts: WireReceipt[]): Promise<(EventOf<'message:read'> | null)[]> {
    const ids = receipts.map(({ messageId }) => messageId);
    const found = await this.#deps.store.find(ids, wallet);
    const wire = await this.toMessages(wallet, found);
    const marked = await this.#withMarks(wallet, receipts);
    return marked.map((receipt) => {
      const index = found.findIndex(({ message }) => message.id === receipt.messageId);
      const [row, message] = [found[index], wire[index]];
      if (!row || !message) return null;
      return {
        ...message,
        ...(row.isVisible ? {} : { content: '', media: null, replyTo: null }),
        ...receipt,
      };
    });
  }

  /** Adds how far all members of a group are, because one member's receipt does not change the status of a message. */
  async #withMarks(wallet: Address, receipts: WireReceipt[]): Promise<WireReceipt[]> {
    const groups = [...new Set(receipts.map(({ conversationId: id }) => id).filter(isGroup))];
    const marks = await this.#deps.store.marksOfOthers(wallet, groups);
    return receipts.map((receipt) => {
      const { deliveredUntil, readUntil } = marks.get(receipt.conversationId as GroupId) ?? {};
      return {
        ...receipt,
        ...(deliveredUntil && { allDeliveredUntil: toIso(deliveredUntil) }),
        ...(readUntil && { allReadUntil: toIso(readUntil) }),
      };
    });
  }

  /** These messages as this wallet sees them. */
  async toMessages(wallet: Address, rows: MarkedMessage[]): Promise<WireMessage[]> {
    const referred = await this.#referredBy(
      rows.map(({ message }) => message),
      wallet,
    );
    return rows.map((row) => toMessage(row, wallet, referred));
  }

  async #referredBy(rows: Pick<MessageRow, 'mediaId' | 'replyTo'>[], wallet: Address): Promise<Referred> {
    const { store, attachments } = this.#deps;
    const fileIds = rows.flatMap(({ mediaId }) => mediaId ?? []);
    const files = fileIds.length > 0 && attachments ? await attachments.describe(fileIds) : null;
    const originalIds = rows.flatMap(({ replyTo }) => replyTo ?? []);
    const originals = originalIds.length > 0 ? await store.find(originalIds, wallet) : [];
    return { files, quoted: new Map(originals.map((original) => [original.message.id, original])) };
  }

  async #toConversations(wallet: Address, states: ConversationState[]): Promise<WireConversation[]> {
    const groups = await this.#deps.groupStore.summaries(
      wallet,
      states.map(({ peer }) => peer).filter(isGroup),
    );
    const lastOnes = states.flatMap(({ last }) => last ?? []);
    const byId = new Map((await this.toMessages(wallet, lastOnes)).map((message) => [message.id, message]));
    return states.map(({ id, peer, last, unreadCount, changedAt }) => {
      const lastMessage = (last && byId.get(last.message.id)) ?? null;
      const group = isGroup(peer) ? (groups.get(peer) ?? null) : null;
      const updatedAt = lastMessage?.timestamp ?? (changedAt && toIso(changedAt));
      return { id, with: peer, group, lastMessage, unreadCount, updatedAt };
    });
  }
}

/** Whether a repeated request is for the stored message. If that was deleted or edited, its first content is gone. */
function isSame(row: MessageRow, { sender, recipient, type, content, ...refers }: NewMessage): boolean {
  const isSameEnvelope = row.sender === sender && row.recipient === recipient && row.type === type;
  if (!isSameEnvelope || row.deletedAt !== null) return isSameEnvelope;
  const isSameContent = row.content === content || row.editedAt !== null;
  return isSameContent && row.mediaId === refers.mediaId && row.replyTo === refers.replyTo;
}

/** @throws ParleyError VALIDATION_ERROR if a wallet writes to itself */
export function refuseSelf(to: Recipient, wallet: Address): void {
  if (to === wallet)
    throw new ParleyError('VALIDATION_ERROR', 'to: a wallet cannot write to itself; name another wallet.');
}
