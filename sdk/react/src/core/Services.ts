import type { Parley } from '@parley/sdk';
import { english, type Words } from '../words/english.ts';

/**
 * What all components of one client share: the client, the words, and one controller per subject (calls, chats, …), which is created
 * when a component first needs it and lives as long as the client.
 */
export class Services {
  readonly client: Parley;
  #words: Words = english;
  #report: (error: unknown) => void = () => undefined;
  readonly #made = new Map<unknown, unknown>();

  constructor(client: Parley) {
    this.client = client;
  }

  get words(): Words {
    return this.#words;
  }

  /** Shows an error that has no place in a component. */
  readonly report = (error: unknown): void => this.#report(error);

  /** Takes over the provider's words and its function for errors. */
  use(words: Words, report: (error: unknown) => void): void {
    this.#words = words;
    this.#report = report;
  }

  /**
   * A shared controller.
   * @param create creates it at the first call. The function is also the key, so it must be a constant
   */
  get<Made>(create: (services: Services) => Made): Made {
    if (!this.#made.has(create)) this.#made.set(create, create(this));
    return this.#made.get(create) as Made;
  }
}

const known = new WeakMap<Parley, Services>();

/**
 * What belongs to a client. Every provider of the same client gets the same, so that components which are mounted again find their
 * controllers again, and the client does not collect their event handlers.
 */
export function servicesOf(client: Parley): Services {
  const there = known.get(client) ?? new Services(client);
  known.set(client, there);
  return there;
}
