import type { Page } from '@parley/sdk';
import { Store } from '../session/Store.ts';
import { explain, type Problem } from '../ui/explain.ts';
import { coalesced } from './coalesced.ts';

export interface ListState<Item> {
  /** null until the first page is here. */
  items: Item[] | null;
  hasMore: boolean;
  /** The newest page is on its way. */
  isLoading: boolean;
  /** The next one is. */
  isLoadingMore: boolean;
  problem: Problem | null;
}

type ReadPage<Item> = (cursor: string | undefined) => Promise<Page<Item>>;

/** A list of the server, newest first, a page at a time. */
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

  /** Reads the newest page again; what was loaded beyond it stays, but for what has moved into it (a thread that was written to). */
  readonly refresh = coalesced(() =>
    this.#load('isLoading', undefined, (page, known) => {
      const fresh = new Set(page.data.map(({ id }) => id));
      const last = known.findIndex(({ id }) => id === page.data.at(-1)?.id);
      // Its end is not known: between this page and what was known may lie more than a page.
      const joins = last >= 0 && page.hasMore;
      if (!joins) this.#next = page.nextCursor;
      return joins ? [...page.data, ...known.slice(last + 1).filter(({ id }) => !fresh.has(id))] : page.data;
    }),
  );

  /** A list that refreshes itself all the time must not keep somebody from the next page: the two go side by side. */
  readonly more = async (): Promise<void> => {
    const cursor = this.#next;
    if (cursor === null || this.store.get().isLoadingMore) return;
    await this.#load('isLoadingMore', cursor, (page, known) => {
      // The list was refreshed while this page was read: it is no longer the next page.
      if (cursor !== this.#next) return known;
      this.#next = page.nextCursor;
      // Where pages are counted, what has moved up since moves others into the next one.
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
