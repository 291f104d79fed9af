import type { Message } from '@parley/sdk';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { createSession } from '../session/SessionController.ts';
import { ChatController } from './ChatController.ts';
import { peerOf, withEdit, withMessage, withoutMessage, withReaction, withReceipt } from './chatState.ts';
import { Conversations } from './Conversations.ts';

/** The chats of the signed-in wallet, kept up to date by the server's events. */
export class ChatsController {
  /** The wallets that are typing, by chat. */
  readonly typing = new Store<ReadonlyMap<string, readonly string[]>>(new Map());
  /** The wallets that this wallet has blocked; null until they are loaded. */
  readonly blocked = new Store<ReadonlySet<string> | null>(null);
  readonly conversations: Conversations;
  readonly #services: Services;
  readonly #chats = new Map<string, ChatController>();

  constructor(services: Services) {
    this.#services = services;
    this.conversations = new Conversations(services);
    this.#watch();
  }

  /** The signed-in wallet; empty while signed out. */
  get own(): string {
    return this.#services.get(createSession).address ?? '';
  }

  with(peer: string): ChatController {
    const known = this.#chats.get(peer);
    if (known) return known;
    const chat = new ChatController(this.#services, peer, () => void this.conversations.refresh());
    this.#chats.set(peer, chat);
    return chat;
  }

  async loadBlocked(): Promise<void> {
    const wallets = await this.#services.client.calls.getBlocked().catch(() => null);
    if (wallets) this.blocked.set(new Set(wallets));
  }

  /** @throws ParleyError as `client.calls.block()` */
  async setBlocked(peer: string, isBlocked: boolean): Promise<void> {
    const { calls } = this.#services.client;
    await (isBlocked ? calls.block(peer) : calls.unblock(peer));
    await this.loadBlocked();
  }

  #watch(): void {
    const { client } = this.#services;
    const stored = (message: Message) => {
      this.#of(message).change((messages) => withMessage(messages, message));
      this.#of(message).showPending();
    };
    client.on('message:received', stored);
    client.on('message:sent', stored);
    client.on('message:sending', (message) => this.#of(message).sending(message));
    client.on('message:failed', ({ message, error }) => this.#of(message).failed(message, error));
    client.on('message:delivered', (receipt) =>
      this.#change((messages) => withReceipt(messages, receipt, 'delivered', this.own)),
    );
    client.on('message:read', (receipt) =>
      this.#change((messages) => withReceipt(messages, receipt, 'read', this.own)),
    );
    client.on('message:reaction', (change) => this.#change((messages) => withReaction(messages, change)));
    client.on('message:edited', (message) => this.#change((messages) => withEdit(messages, message)));
    client.on('message:deleted', (deletion) =>
      this.#change((messages) => withoutMessage(messages, deletion)),
    );
    client.on('typing:start', ({ from, group }) => this.#setTyping(group ?? from, from, true));
    client.on('typing:stop', ({ from, group }) => this.#setTyping(group ?? from, from, false));
    // A message may be delivered or read now because a member has left.
    client.on('group:updated', ({ id }) => {
      const chat = this.#chats.get(id);
      if (chat?.store.get().messages) void chat.refresh();
    });
    client.on('connection:changed', ({ state }) => {
      if (state !== 'closed') return;
      // Another wallet may sign in.
      for (const chat of this.#chats.values()) chat.clear();
      this.typing.set(new Map());
      this.blocked.set(null);
    });
    client.on('session:missed', () => {
      for (const chat of this.#chats.values()) void chat.restart();
    });
  }

  #of(message: Message): ChatController {
    return this.with(peerOf(message, this.own));
  }

  /** Applies an event that contains a message id but no chat. All chats are tried; only the one with that message changes. */
  #change(change: (messages: Message[]) => Message[]): void {
    for (const chat of this.#chats.values()) chat.change(change);
  }

  #setTyping(peer: string, from: string, isTyping: boolean): void {
    const typing = new Map(this.typing.get());
    const others = (typing.get(peer) ?? []).filter((each) => each !== from);
    this.typing.set(typing.set(peer, isTyping ? [...others, from] : others));
  }
}

export const createChats = (services: Services) => new ChatsController(services);
