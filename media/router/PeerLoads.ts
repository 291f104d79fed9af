/** What the load of a peer depends on, besides what it receives. Plain RTP peers have none of these. */
interface Kind {
  multiparty?: boolean;
  isViewer?: boolean | undefined;
}

/**
 * The load of a member of a multiparty room, and of any other peer, at least. They may receive less until others publish, but stay on their
 * worker when more do. A member that receives the cameras and microphones of 25 others counts 10; the rest is for the other rooms on the
 * worker, which grow too. Other peers receive a camera and a microphone.
 */
const [leastOfMember, leastOfOther] = [12, 2];
/** At least so many people fit on a worker while they receive little, however low the limit of consumers is. */
const leastPeople = 30;
/**
 * A peer with more than `fewConsumers` shows small videos, because they share one screen. A worker can serve `smallVideo` times as many of
 * these.
 */
const [fewConsumers, smallVideo] = [20, 5];

/** A small room may grow: a member with few consumers counts so many times as many, up to `fewConsumers`. */
const growth = 1.5;

/** The load of a peer with so many consumers: the number of consumers of large videos that cost as much, now or soon. */
export function loadOf(
  { multiparty, isViewer }: Kind,
  consumers: number,
  consumersPerWorker: number,
): number {
  const isMember = multiparty && !isViewer;
  const soon = isMember ? Math.min(consumers * growth, fewConsumers) : consumers;
  const load = consumers > fewConsumers ? consumers / smallVideo : soon;
  return Math.max(load, Math.min(isMember ? leastOfMember : leastOfOther, consumersPerWorker / leastPeople));
}

/** Adds up the loads of a router's peers. */
export class PeerLoads {
  readonly #consumersPerWorker: number;
  readonly #onChange: (by: number) => void;
  readonly #peers = new Map<string, { kind: Kind; consumers: number; load: number }>();

  /** @param onChange called with each change of the sum */
  constructor(consumersPerWorker: number, onChange: (by: number) => void) {
    this.#consumersPerWorker = consumersPerWorker;
    this.#onChange = onChange;
  }

  add(key: string, kind: Kind): void {
    this.#peers.set(key, { kind, consumers: 0, load: 0 });
    this.addConsumers(key, 0);
  }

  /** @param count negative for consumers that have closed */
  addConsumers(key: string, count: number): void {
    const peer = this.#peers.get(key);
    if (!peer) return;
    peer.consumers += count;
    const before = peer.load;
    peer.load = loadOf(peer.kind, peer.consumers, this.#consumersPerWorker);
    if (peer.load !== before) this.#onChange(peer.load - before);
  }

  remove(key: string): void {
    const peer = this.#peers.get(key);
    if (peer && this.#peers.delete(key)) this.#onChange(-peer.load);
  }

  clear(): void {
    for (const key of [...this.#peers.keys()]) this.remove(key);
  }
}
