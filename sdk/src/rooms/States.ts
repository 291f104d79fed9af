import { callApp } from '../connection/Listeners.ts';
import type { Observable } from '../types.ts';

/** How many states of calls or rooms that are over are kept for apps that do not subscribe. */
const keptStates = 20;

/** The states of calls or rooms, by id. A state that is over is forgotten once nobody subscribes, except for the latest ones. */
export class States<State extends object> {
  readonly #initial: State;
  readonly #isOver: (state: State) => boolean;
  readonly #states = new Map<string, State>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #onObserved: (id: string) => void;

  /** @param options.onObserved called when an app subscribes to a state to which none has subscribed */
  constructor(options: {
    initial: State;
    isOver: (state: State) => boolean;
    onObserved?: (id: string) => void;
  }) {
    this.#initial = options.initial;
    this.#isOver = options.isOver;
    this.#onObserved = options.onObserved ?? (() => {});
  }

  /** The ids of the states that are not over. */
  get current(): string[] {
    return [...this.#states].filter(([, state]) => !this.#isOver(state)).map(([id]) => id);
  }

  get(id: string): State {
    return this.#states.get(id) ?? this.#initial;
  }

  isObserved(id: string): boolean {
    return this.#listeners.has(id);
  }

  /** The state of one call or room. It stays valid when the call or room is left and joined again. */
  observable(id: string): Observable<State> {
    return { get: () => this.get(id), subscribe: (listener) => this.#subscribe(id, listener) };
  }

  /** Changes a state. */
  change(id: string, changes: Partial<State>): void {
    const state = { ...this.get(id), ...changes };
    // The latest change is the last one in the map.
    this.#states.delete(id);
    this.#states.set(id, state);
    if (this.#isOver(state)) this.#forgetOldest();
    for (const listener of [...(this.#listeners.get(id) ?? [])]) callApp(listener);
  }

  #subscribe(id: string, listener: () => void): () => void {
    // A function of its own, because an app may subscribe the same one twice.
    const own = () => listener();
    const listeners = this.#listeners.get(id) ?? new Set();
    this.#listeners.set(id, listeners.add(own));
    if (listeners.size === 1) this.#onObserved(id);
    return () => {
      listeners.delete(own);
      if (listeners.size > 0 || this.#listeners.get(id) !== listeners) return;
      this.#listeners.delete(id);
      this.#forgetOldest();
    };
  }

  #forgetOldest(): void {
    const over = [...this.#states].filter(([id, state]) => this.#isOver(state) && !this.isObserved(id));
    for (const [id] of over.slice(0, Math.max(0, over.length - keptStates))) this.#states.delete(id);
  }
}
