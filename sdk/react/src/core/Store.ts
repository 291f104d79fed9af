import { useSyncExternalStore } from 'react';

/** A value that components can watch and that its owner changes. */
export class Store<State> {
  #state: State;
  readonly #watchers = new Set<() => void>();

  constructor(initial: State) {
    this.#state = initial;
  }

  readonly get = (): State => this.#state;

  set(state: State): void {
    if (Object.is(state, this.#state)) return;
    this.#state = state;
    for (const watcher of [...this.#watchers]) watcher();
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };
}

export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}
