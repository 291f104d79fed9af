import { useSyncExternalStore } from 'react';

/** A value that components can watch and that its owner changes. */
export class Store<State> {
  #state: State;
  readonly #initial: State;
  readonly #watchers = new Set<() => void>();

  constructor(initial: State) {
    this.#state = this.#initial = initial;
  }

  readonly get = (): State => this.#state;

  /** The state at first: what a server renders, and therefore also a browser that takes over the server's HTML. */
  readonly getInitial = (): State => this.#initial;

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
  return useSyncExternalStore(store.subscribe, store.get, store.getInitial);
}
