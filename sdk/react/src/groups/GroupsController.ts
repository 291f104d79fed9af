import type { Group } from '@parley/sdk';
import { coalesced } from '../core/coalesced.ts';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { explain, type Problem } from '../problems/explain.ts';

export interface GroupState {
  /** The group with its members; null until it is loaded. */
  group: Group | null;
  problem: Problem | null;
}

export const unknownGroup: GroupState = { group: null, problem: null };

/** The groups that components show, kept up to date. */
export class GroupsController {
  readonly store = new Store<ReadonlyMap<string, GroupState>>(new Map());
  readonly #services: Services;
  /** How many components show each group. */
  readonly #shown = new Map<string, number>();
  readonly #loads = new Map<string, () => Promise<void>>();

  constructor(services: Services) {
    this.#services = services;
    const { client } = services;
    client.on('group:updated', ({ id }) => {
      if (this.#shown.has(id)) void this.load(id);
    });
    client.on('connection:changed', ({ state }) => {
      // Another wallet may sign in.
      if (state === 'closed') this.store.set(new Map());
      if (state === 'connected') this.#loadShown();
    });
    client.on('session:missed', () => this.#loadShown());
  }

  /** Loads a group, and keeps it up to date until the returned function is called. */
  show(id: string): () => void {
    this.#shown.set(id, (this.#shown.get(id) ?? 0) + 1);
    void this.load(id);
    return () => {
      const left = (this.#shown.get(id) ?? 0) - 1;
      if (left > 0) this.#shown.set(id, left);
      else this.#shown.delete(id);
    };
  }

  async load(id: string): Promise<void> {
    const load = this.#loads.get(id) ?? coalesced(() => this.#read(id));
    this.#loads.set(id, load);
    await load();
  }

  #loadShown(): void {
    for (const id of this.#shown.keys()) void this.load(id);
  }

  async #read(id: string): Promise<void> {
    const { client, words } = this.#services;
    try {
      this.#set(id, { group: await client.groups.get(id), problem: null });
    } catch (error) {
      const known = this.store.get().get(id) ?? unknownGroup;
      this.#set(id, { ...known, problem: explain(error, words.problems) });
    }
  }

  #set(id: string, state: GroupState): void {
    this.store.set(new Map(this.store.get()).set(id, state));
  }
}

export const createGroups = (services: Services) => new GroupsController(services);
