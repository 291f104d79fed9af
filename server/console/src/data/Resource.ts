import { Store } from '../session/Store.ts';
import { explain, type Problem } from '../ui/explain.ts';
import { coalesced } from './coalesced.ts';

export interface Loaded<Value> {
  /** The latest value. It stays while the next one is being loaded, even if that fails. */
  value: Value | null;
  isLoading: boolean;
  problem: Problem | null;
}

/** A value from the server that can be read again at any time. */
export class Resource<Value> {
  readonly store = new Store<Loaded<Value>>({ value: null, isLoading: false, problem: null });
  readonly refresh: () => Promise<void>;

  constructor(read: () => Promise<Value>) {
    this.refresh = coalesced(async () => {
      this.store.set({ ...this.store.get(), isLoading: true, problem: null });
      try {
        this.store.set({ value: await read(), isLoading: false, problem: null });
      } catch (error) {
        this.store.set({ ...this.store.get(), isLoading: false, problem: explain(error) });
      }
    });
  }
}
