import type { LiveStream, Parley } from '@parley/sdk';
import { Resource } from '../data/Resource.ts';
import { Store } from '../session/Store.ts';
import { StudioController } from './StudioController.ts';

const atMost = 100;
/** The number of ended streams to load. */
const lately = 20;

/** The streams of the signed-in wallet, the live streams of others, and the stream on the page. */
export class StreamsData {
  /** This wallet's streams: idle and live ones, then ended ones. */
  readonly own: Resource<LiveStream[]>;
  /** The public live streams of all wallets. */
  readonly live: Resource<LiveStream[]>;
  /** The stream on the page, or the stream that this device sends. The latter continues while the user visits other pages. */
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
