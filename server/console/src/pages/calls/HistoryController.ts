import type { CallRecord, Parley } from '@parley/sdk';
import type { CallsState } from '../../calls/callState.ts';
import { Store } from '../../session/Store.ts';
import { explain, type Problem } from '../../ui/explain.ts';

const pageSize = 20;

export interface HistoryState {
  /** null until the first page is loaded. */
  records: CallRecord[] | null;
  hasMore: boolean;
  isLoading: boolean;
  problem: Problem | null;
}

/** Loads past calls in pages, newest first. */
export class HistoryController {
  readonly store = new Store<HistoryState>({
    records: null,
    hasMore: false,
    isLoading: false,
    problem: null,
  });
  readonly #client: Parley;
  #isStale = false;

  constructor(client: Parley, calls: Store<CallsState>) {
    this.#client = client;
    let { endings } = calls.get();
    calls.subscribe(() => {
      const now = calls.get().endings;
      if (now === endings) return;
      endings = now;
      void this.refresh();
    });
  }

  /** Reads the newest page again and keeps the older records already loaded. */
  async refresh(): Promise<void> {
    if (this.store.get().isLoading) {
      this.#isStale = true;
      return;
    }
    await this.#load(0);
    if (!this.#isStale) return;
    this.#isStale = false;
    await this.refresh();
  }

  async more(): Promise<void> {
    const { records, isLoading } = this.store.get();
    if (!isLoading) await this.#load(records?.length ?? 0);
  }

  async #load(offset: number): Promise<void> {
    this.store.set({ ...this.store.get(), isLoading: true, problem: null });
    try {
      const page = await this.#client.calls.getHistory({ limit: pageSize, offset });
      const before = this.store.get();
      const known = before.records ?? [];
      const hasMore = offset >= known.length ? page.length === pageSize : before.hasMore;
      this.store.set({ records: merge(known, page), hasMore, isLoading: false, problem: null });
    } catch (error) {
      this.store.set({ ...this.store.get(), isLoading: false, problem: explain(error) });
    }
  }
}

/** Merges a page into the known records. A call that ends between two reads shifts the offsets, so a record may be read twice. */
function merge(known: CallRecord[], page: CallRecord[]): CallRecord[] {
  const byId = new Map([...known, ...page].map((record) => [record.id, record]));
  return [...byId.values()].sort((a, b) => timeOf(b) - timeOf(a));
}

const timeOf = ({ startedAt }: CallRecord) => startedAt?.getTime() ?? 0;
