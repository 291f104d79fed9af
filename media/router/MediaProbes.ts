import type { types } from 'mediasoup';
import { announcedCandidates } from './announcedCandidates.ts';
import type { WorkerPool } from './WorkerPool.ts';

/** A transport of a worker that nobody uses. It answers STUN, which shows whether its ports can be reached. */
export interface MediaProbe {
  worker: number;
  iceParameters: types.IceParameters;
  /** With the announced addresses. */
  iceCandidates: types.IceCandidate[];
}

const keptMs = 40_000;

/** Opens transports for `npm run doctor`: one per worker, for a short time. */
export class MediaProbes {
  readonly #pool: WorkerPool;
  #open: Promise<MediaProbe[]> | null = null;

  constructor(pool: WorkerPool) {
    this.#pool = pool;
  }

  /** Requests within a short time share the same transports. */
  open(): Promise<MediaProbe[]> {
    if (this.#open) return this.#open;
    const opened = Promise.all(this.#pool.living.map((worker) => this.#openOn(worker)));
    const forget = () => (this.#open = null);
    opened.then(() => setTimeout(forget, keptMs / 2).unref(), forget);
    return (this.#open = opened);
  }

  async #openOn({
    index,
    worker,
    webRtcServer,
    announcedAddresses,
  }: WorkerPool['living'][number]): Promise<MediaProbe> {
    const router = await worker.createRouter();
    setTimeout(() => router.close(), keptMs).unref();
    const transport = await router.createWebRtcTransport({ webRtcServer, enableUdp: true, enableTcp: true });
    const iceCandidates = announcedCandidates(transport, announcedAddresses);
    return { worker: index, iceParameters: transport.iceParameters, iceCandidates };
  }
}
