import { ParleyError, type Person } from '@parley/sdk';
import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';

/** Names and images of the wallets that components show, by their normal addresses. */
export class PeopleController {
  readonly store = new Store<ReadonlyMap<string, Person>>(new Map());
  readonly #services: Services;
  /** How many components show each wallet. */
  readonly #shown = new Map<string, number>();
  /** Whether this client may not read them, as a guest. */
  #isRefused = false;

  constructor(services: Services) {
    this.#services = services;
    const { client } = services;
    client.on('person:updated', ({ walletAddress }) => {
      if (this.#shown.has(walletAddress)) this.#load([walletAddress]);
    });
    client.on('connection:changed', ({ state }) => {
      // Another wallet may sign in, which is not told the same.
      if (state === 'closed') this.store.set(new Map());
      if (state !== 'connected') return;
      this.#isRefused = false;
      this.#load([...this.#shown.keys()]);
    });
    client.on('session:missed', () => this.#load([...this.#shown.keys()]));
  }

  /** Loads wallets, and keeps them up to date until the returned function is called. */
  show(wallets: string[]): () => void {
    for (const wallet of wallets) this.#shown.set(wallet, (this.#shown.get(wallet) ?? 0) + 1);
    // The client remembers what it has read recently.
    this.#load(wallets);
    return () => {
      for (const wallet of wallets) {
        const left = (this.#shown.get(wallet) ?? 0) - 1;
        if (left > 0) this.#shown.set(wallet, left);
        else this.#shown.delete(wallet);
      }
    };
  }

  #load(wallets: string[]): void {
    // Names are not worth a connection of their own.
    if (this.#isRefused || this.#services.client.state !== 'connected') return;
    // The client reads all wallets of one task with one request.
    for (const wallet of wallets) void this.#loadOne(wallet);
  }

  async #loadOne(wallet: string): Promise<void> {
    try {
      const [person] = await this.#services.client.people.get([wallet]);
      const known = this.store.get();
      if (person && known.get(wallet) !== person) this.store.set(new Map(known).set(wallet, person));
    } catch (error) {
      // Without its name, a wallet is shown by its short address.
      if (error instanceof ParleyError && error.code === 'ACCESS_DENIED') this.#isRefused = true;
    }
  }
}
