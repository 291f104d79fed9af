import type { LiveStream, Parley } from '@parley/sdk';
import { Resource } from '../data/Resource.ts';
import { Store } from '../session/Store.ts';
import { StudioController } from './StudioController.ts';

const atMost = 100;
/** Of those that have ended. */
const lately = 20;

/** The streams of the wallet that is signed in, those of others that are live, and the one that is open here. */
export class StreamsData {
  /** Those that are to come or run, then those that were. */
  readonly own: Resource<LiveStream[]>;
  /** Public ones. */
  readonly live: Resource<LiveStream[]>;
  /** The stream that is on the page; or that this device sends, whichever page it shows. */
  readonly current = new Store<StudioController | null>(null);
  readonly #client: Parley;
  readonly #address: string;
  readonly #report: (error: unknown) => void;

  constructor(client: Parley, address: string, report: (error: unknown) => void) {
    this.#client = client;
    this.#address = address;
    this.#report = report;
    const { streaming } = client;
    this.own = new Resource(async () =>
      (
        await Promise.all([
          streaming.list({ limit: atMost }),
          streaming.list({ status: 'ended', limit: lately }),
        ])
      ).flat(),
    );
    this.live = new Resource(() => streaming.list({ host: null, limit: atMost }));
    for (const name of ['stream:updated', 'stream:ended', 'session:missed'] as const)
      client.on(name, () => this.own.store.get().value && void this.own.refresh());
  }

  /** @returns a function that leaves its page: who is live stays so */
  open(streamId: string): () => void {
    const there = this.current.get();
    const controller =
      there?.streamId === streamId
        ? there
        : new StudioController(this.#client, this.#address, streamId, this.#report);
    if (controller !== there) {
      // One device sends one stream.
      there?.close();
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
