import type { Page } from '@parley/sdk';
import { Store } from '../session/Store.ts';
import { explain, type Problem } from '../ui/explain.ts';
import { coalesced } from './coalesced.ts';

export interface ListState<Item> {
  /** null until the first page is loaded. */
  items: Item[] | null;
  hasMore: boolean;
  /** The newest page is being loaded. */
  isLoading: boolean;
  /** The next page is being loaded. */
  isLoadingMore: boolean;
  problem: Problem | null;
}

type ReadPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/** A paged list from the server, newest first. */
export class PagedList<Item extends { id: string }> {
  readonly store = new Store<ListState<Item>>({
    items: null,
    hasMore: false,
    isLoading: false,
    isLoadingMore: false,
    problem: null,
  });
  readonly #read: ReadPage<Item>;
  #next: string | null = null;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  /** Reads the newest page again. Items of later pages stay, except those that have moved into it, for example a thread with a new text. */
  readonly refresh = coalesced(() =>
    this.#load('isLoading', undefined, (page, known) => {
      const fresh = new Set(page.data.map(({ id }) => id));
      const last = known.findIndex(({ id }) => id === page.data.at(-1)?.id);
      // If the page's last item is unknown, other unknown items may lie between the page and the known items.
      const joins = last >= 0 && page.hasMore;
      if (!joins) this.#next = page.nextCursor;
      return joins ? [...page.data, ...known.slice(last + 1).filter(({ id }) => !fresh.has(id))] : page.data;
    }),
  );

  /** Loads the next page. It may run during a refresh, so that a list that refreshes often can still be paged. */
  readonly more = async (): Promise<void> => {
    const cursor = this.#next;
    if (cursor === null || this.store.get().isLoadingMore) return;
    await this.#load('isLoadingMore', cursor, (page, known) => {
      // The list was refreshed while this page was being read, so this is no longer the next page.
      if (cursor !== this.#next) return known;
      this.#next = page.nextCursor;
      // If pages are read by offset, an item that moves to the front pushes another one into the next page.
      const have = new Set(known.map(({ id }) => id));
      return [...known, ...page.data.filter(({ id }) => !have.has(id))];
    });
  };

  async #load(
    flag: 'isLoading' | 'isLoadingMore',
    cursor: string | undefined,
    join: (page: Page<Item>, known: Item[]) => Item[],
  ): Promise<void> {
    this.#set({ [flag]: true });
    try {
      const page = await this.#read(cursor);
      const items = join(page, this.store.get().items ?? []);
      this.#set({ items, hasMore: this.#next !== null, [flag]: false, problem: null });
    } catch (error) {
      this.#set({ [flag]: false, problem: explain(error) });
    }
  }

  #set(changed: Partial<ListState<Item>>): void {
    this.store.set({ ...this.store.get(), ...changed });
  }
}
