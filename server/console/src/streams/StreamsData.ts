import { Store } from '@parley/react';
import type { Parley } from '@parley/sdk';
import { StudioController } from './StudioController.ts';

/** The stream on the page. */
export class StreamsData {
  /** The stream on the page, or the stream that this device sends. The latter continues while the user visits other pages. */
  readonly current = new Store<StudioController | null>(null);
  readonly #client: Parley;
  readonly #address: string;
  readonly #report: (error: unknown) => void;

  constructor(client: Parley, address: string, report: (error: unknown) => void) {
    this.#client = client;
    this.#address = address;
    this.#report = report;
  }

  /** Opens a stream's page. @returns a function that closes it; if this device sends the stream, the stream continues */
  open(streamId: string): () => void {
    const previous = this.current.get();
    const controller =
      previous?.streamId === streamId
        ? previous
        : new StudioController(this.#client, this.#address, streamId, this.#report);
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
