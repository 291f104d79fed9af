import type { Services } from '../core/Services.ts';
import { Store } from '../core/Store.ts';
import { StudioController } from './StudioController.ts';

/** The stream on the page, or the stream that this device sends. The latter continues while the user visits other pages. */
export class StreamsController {
  readonly current = new Store<StudioController | null>(null);
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
    services.client.on('connection:changed', ({ state }) => {
      if (state !== 'closed') return;
      // Another wallet may sign in.
      this.current.get()?.close();
      this.current.set(null);
    });
  }

  /** Opens a stream's studio. @returns a function that closes it; if this device sends the stream, the stream continues */
  open(streamId: string): () => void {
    const previous = this.current.get();
    const controller =
      previous?.streamId === streamId ? previous : new StudioController(this.#services, streamId);
    if (controller !== previous) {
      // A device can send only one stream at a time.
      previous?.close();
      this.current.set(controller);
    }
    void controller.load();
    return () => {
      if (controller.isSending) return;
      controller.close();
      if (this.current.get() === controller) this.current.set(null);
    };
  }
}

export const createStreams = (services: Services) => new StreamsController(services);
