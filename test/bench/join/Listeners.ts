import type { RtpPeer } from '../rooms/RtpPeer.ts';

const batchSize = 8;
const tickMs = 50;

/** People in a room who receive one camera over real DTLS-SRTP, and send only reports. */
export class Listeners {
  readonly #peers: RtpPeer[] = [];
  #ticking: NodeJS.Timeout | undefined;

  /** @param enter joins as one more listener, whose reports have this offset */
  static async gather(count: number, enter: (phaseMs: number) => Promise<RtpPeer>): Promise<Listeners> {
    const listeners = new Listeners();
    const peers = listeners.#peers;
    while (peers.length < count) {
      const missing = Math.min(batchSize, count - peers.length);
      const entering = Array.from({ length: missing }, async () => {
        const peer = await enter(Math.random() * tickMs);
        await peer.receive(0);
        return peer;
      });
      peers.push(...(await Promise.all(entering)));
    }
    const now = performance.now();
    for (const peer of peers) peer.startAt(now);
    listeners.#ticking = setInterval(() => {
      for (const peer of peers) peer.tick(performance.now());
    }, tickMs);
    return listeners;
  }

  close(): void {
    clearInterval(this.#ticking);
    for (const peer of this.#peers) peer.close();
  }
}
