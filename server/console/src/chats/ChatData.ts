import type { Conversation, Message, Parley } from '@parley/sdk';
import { PagedList } from '../data/PagedList.ts';
import { Resource } from '../data/Resource.ts';
import { Store } from '../session/Store.ts';
import { Chat } from './Chat.ts';
import { withMessage, withoutMessage, withReaction, withReceipt } from './chatState.ts';

const perPage = 50;

/** The conversations of the signed-in wallet, kept up to date by the server's events. */
export class ChatData {
  readonly conversations: PagedList<Conversation>;
  readonly blocked: Resource<string[]>;
  /** The wallets that are typing. */
  readonly typing = new Store<ReadonlySet<string>>(new Set());
  readonly own: string;
  readonly #client: Parley;
  readonly #report: (error: unknown) => void;
  readonly #chats = new Map<string, Chat>();

  constructor(client: Parley, own: string, report: (error: unknown) => void) {
    this.#client = client;
    this.own = own;
    this.#report = report;
    this.conversations = new PagedList(async (cursor) => {
      const offset = Number(cursor ?? 0);
      const data = await client.messages.getConversations({ limit: perPage, offset });
      const hasMore = data.length === perPage;
      return { data, hasMore, nextCursor: hasMore ? String(offset + perPage) : null };
    });
    this.blocked = new Resource(() => client.calls.getBlocked());
    this.#watch();
  }

  with(peer: string): Chat {
    const known = this.#chats.get(peer);
    if (known) return known;
    const chat = new Chat(this.#client, peer, this.#report, () => void this.conversations.refresh());
    this.#chats.set(peer, chat);
    return chat;
  }

  readonly setBlocked = async (peer: string, wanted: boolean): Promise<void> => {
    await (wanted ? this.#client.calls.block(peer) : this.#client.calls.unblock(peer));
    await this.blocked.refresh();
  };

  #watch(): void {
    const client = this.#client;
    const list = () => void this.conversations.refresh();
    const stored = (message: Message) => {
      this.#of(message).change((messages) => withMessage(messages, message));
      this.#of(message).showPending();
      list();
    };
    client.on('message:received', stored);
    client.on('message:sent', stored);
    client.on('message:sending', (message) => this.#of(message).sending(message));
    client.on('message:failed', ({ message, error }) => this.#of(message).failed(message, error));
    client.on('message:delivered', (receipt) => {
      this.#change((messages) => withReceipt(messages, receipt, 'delivered'));
      list();
    });
    client.on('message:read', (receipt) => {
      this.#change((messages) => withReceipt(messages, receipt, 'read'));
      list();
    });
    client.on('message:reaction', (change) => this.#change((messages) => withReaction(messages, change)));
    client.on('message:deleted', (deletion) => {
      this.#change((messages) => withoutMessage(messages, deletion));
      list();
    });
    client.on('typing:start', ({ from }) => this.#setTyping(from, true));
    client.on('typing:stop', ({ from }) => this.#setTyping(from, false));
    client.on('session:missed', () => {
      list();
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
