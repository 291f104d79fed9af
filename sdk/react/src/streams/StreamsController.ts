import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { StudioController } from './StudioController.ts';

/** The studio on the page, and those of the streams that this device sends. They continue while the user visits other pages. */
export class StreamsController {
  /** The studio on the page. On other pages, that of a stream that this device sends. */
  readonly current = new Store<StudioController | null>(null);
  /** The studio of the stream that this device sends, also while the page shows that of another stream. */
  readonly sent = new Store<StudioController | null>(null);
  readonly #services: Services;
  readonly #studios = new Map<string, StudioController>();

  constructor(services: Services) {
    this.#services = services;
    services.client.on('connection:changed', ({ state }) => {
      if (state !== 'closed') return;
      // Another wallet may sign in.
      this.current.set(null);
      for (const studio of this.#studios.values()) studio.close();
      this.#studios.clear();
      this.sent.set(null);
    });
  }

  /** Opens a stream's studio. @returns a function that closes it; if this device sends the stream, the stream continues */
  open(streamId: string): () => void {
    const studio = this.#studios.get(streamId) ?? this.#create(streamId);
    this.current.set(studio);
    this.#update();
    void studio.load();
    return () => {
      if (studio.isSending || this.current.get() !== studio) return;
      this.current.set(this.sent.get());
      this.#update();
    };
  }

  #create(streamId: string): StudioController {
    const studio = new StudioController(this.#services, streamId);
    this.#studios.set(streamId, studio);
    studio.store.subscribe(() => this.#update());
    return studio;
  }

  /** Closes the studios that are neither on the page nor of a stream that this device sends. */
  #update(): void {
    const current = this.current.get();
    for (const [streamId, studio] of this.#studios) {
      if (studio === current || studio.isSending) continue;
      studio.close();
      this.#studios.delete(streamId);
    }
    const sent = [...this.#studios.values()].find(({ isSending }) => isSending) ?? null;
    if (sent !== this.sent.get()) this.sent.set(sent);
  }
}

export const createStreams = (services: Services) => new StreamsController(services);
