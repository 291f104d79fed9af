import type { Parley, Recording } from '@parley/sdk';
import { Resource } from '../data/Resource.ts';

const atMost = 100;

/** The signed-in wallet's recordings, kept up to date by the server's events. */
export class RecordingsData {
  readonly list: Resource<Recording[]>;
  readonly #client: Parley;

  constructor(client: Parley) {
    this.#client = client;
    this.list = new Resource(() => client.recordings.list({ limit: atMost }));
    for (const name of ['recording:updated', 'session:missed'] as const)
      client.on(name, () => this.list.store.get().value && void this.list.refresh());
  }

  readonly delete = async (id: string): Promise<void> => {
    await this.#client.recordings.delete(id);
    await this.list.refresh();
  };
}
