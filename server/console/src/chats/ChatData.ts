import { Store } from '@parley/react';
import type { Message, Parley } from '@parley/sdk';
import { Chat } from './Chat.ts';
import { withMessage, withoutMessage, withReaction, withReceipt } from './chatState.ts';

/**
 * The chats of the signed-in wallet, kept up to date by the server's events. They are not in the query cache, because the SDK's outbox,
 * uploads and events change their messages, and a page that was being read meanwhile must not undo such a change.
 */
export class ChatData {
  /** The wallets that are typing. */
  readonly typing = new Store<ReadonlySet<string>>(new Set());
  readonly own: string;
  readonly #client: Parley;
  readonly #report: (error: unknown) => void;
  readonly #onChanged: () => void;
  readonly #chats = new Map<string, Chat>();

  /** @param onChanged called when this device changes a message, because the server sends no events to the device that made the change */
  constructor(client: Parley, own: string, report: (error: unknown) => void, onChanged: () => void) {
    this.#client = client;
    this.own = own;
    this.#report = report;
    this.#onChanged = onChanged;
    this.#watch();
  }

  with(peer: string): Chat {
    const known = this.#chats.get(peer);
    if (known) return known;
    const chat = new Chat(this.#client, peer, this.#report, this.#onChanged);
    this.#chats.set(peer, chat);
    return chat;
  }

  #watch(): void {
    const client = this.#client;
    const stored = (message: Message) => {
      this.#of(message).change((messages) => withMessage(messages, message));
      this.#of(message).showPending();
    };
    client.on('message:received', stored);
    client.on('message:sent', stored);
    client.on('message:sending', (message) => this.#of(message).sending(message));
    client.on('message:failed', ({ message, error }) => this.#of(message).failed(message, error));
    client.on('message:delivered', (receipt) =>
      this.#change((messages) => withReceipt(messages, receipt, 'delivered')),
    );
    client.on('message:read', (receipt) =>
      this.#change((messages) => withReceipt(messages, receipt, 'read')),
    );
    client.on('message:reaction', (change) => this.#change((messages) => withReaction(messages, change)));
    client.on('message:deleted', (deletion) =>
      this.#change((messages) => withoutMessage(messages, deletion)),
    );
    client.on('typing:start', ({ from }) => this.#setTyping(from, true));
    client.on('typing:stop', ({ from }) => this.#setTyping(from, false));
    client.on('session:missed', () => {
      for (const chat of this.#chats.values()) void chat.restart();
    });
  }

  #of({ from, to }: Message): Chat {
    return this.with(from === this.own ? to : from);
  }

  /** Applies an event that contains a message id but no chat. All chats are tried; only the one with that message changes. */
  #change(change: (messages: Message[]) => Message[]): void {
    for (const chat of this.#chats.values()) chat.change(change);
  }

  #setTyping(from: string, isTyping: boolean): void {
    const others = [...this.typing.get()].filter((each) => each !== from);
    this.typing.set(new Set(isTyping ? [...others, from] : others));
  }
}
