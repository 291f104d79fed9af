import type { Conversation, ParleyEvents } from '@parley/sdk';
import { coalesced } from '../core/coalesced.ts';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { explain, type Problem } from '../problems/explain.ts';

export interface ConversationsState {
  /** The conversations, latest first; null until they are loaded. */
  conversations: Conversation[] | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  problem: Problem | null;
}

const none: ConversationsState = { conversations: null, hasMore: false, isLoadingMore: false, problem: null };

const perPage = 50;
/** The least time between two readings of the list after events: a message to a large group is followed by hundreds of receipts. */
const rereadMs = 1_000;
/** What changes the list. */
const events = [
  'message:received',
  'message:sent',
  'message:delivered',
  'message:read',
  'message:edited',
  'message:deleted',
  'group:updated',
  'session:missed',
] as const satisfies (keyof ParleyEvents)[];

/** The list of conversations. It is read again after events once a component has shown it. */
export class Conversations {
  readonly store = new Store(none);
  readonly #services: Services;
  #isWanted = false;
  #readAt = -Infinity;
  #rereading: ReturnType<typeof setTimeout> | undefined;

  constructor(services: Services) {
    this.#services = services;
    for (const name of events) services.client.on(name, () => this.#readSoon());
    services.client.on('connection:changed', ({ state }) => {
      if (state === 'connected') this.#readSoon();
      if (state !== 'closed') return;
      clearTimeout(this.#rereading);
      this.#rereading = undefined;
      // Another wallet may sign in.
      this.store.set(none);
    });
  }

  /** Reads the pages again that are shown. */
  readonly refresh = coalesced(async () => {
    this.#isWanted = true;
    this.#readAt = performance.now();
    const { length } = this.store.get().conversations ?? [];
    try {
      const pages: Conversation[] = [];
      let hasMore = true;
      while (hasMore && pages.length < Math.max(length, 1)) {
        const page = await this.#read(pages.length);
        pages.push(...page);
        hasMore = page.length === perPage;
      }
      this.#set({ conversations: pages, hasMore, problem: null });
    } catch (error) {
      this.#set({ problem: explain(error, this.#services.words.problems) });
    }
  });

  /** Loads the next page. */
  readonly more = async (): Promise<void> => {
    const { conversations, isLoadingMore } = this.store.get();
    if (!conversations || isLoadingMore) return;
    this.#set({ isLoadingMore: true });
    try {
      const page = await this.#read(conversations.length);
      const known = this.store.get().conversations ?? [];
      const ids = new Set(known.map(({ id }) => id));
      const fresh = page.filter(({ id }) => !ids.has(id));
      this.#set({ conversations: [...known, ...fresh], hasMore: page.length === perPage });
    } catch (error) {
      this.#services.report(error);
    }
    this.#set({ isLoadingMore: false });
  };

  #readSoon(): void {
    if (!this.#isWanted) return;
    const inMs = Math.max(0, this.#readAt + rereadMs - performance.now());
    this.#rereading ??= setTimeout(() => {
      this.#rereading = undefined;
      void this.refresh();
    }, inMs);
  }

  #read(offset: number): Promise<Conversation[]> {
    return this.#services.client.messages.getConversations({ limit: perPage, offset });
  }

  #set(changed: Partial<ConversationsState>): void {
    this.store.set({ ...this.store.get(), ...changed });
  }
}
