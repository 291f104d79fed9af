import type { Logger } from 'pino';

export interface Lane {
  key: string;
  /** Who has several lanes shares with himself. */
  owner: string;
}

interface LanesDeps<Item> {
  /** How many run at once: in a lane, of an owner, in all. */
  most: { lane: number; owner: number; all: number };
  /** Claims up to so many items of a lane. */
  claim: (lane: Lane, most: number) => Promise<Item[]>;
  /** Does the work. It does not reject but for faults of ours. */
  run: (item: Item) => Promise<void>;
  log: Logger;
}

/**
 * Hands for work that waits in lanes. A slow lane has no more than its share of them, so that it holds up nobody else; which lane
 * waits is all that is kept in memory, the work itself is claimed where it is stored.
 */
export class Lanes<Item> {
  readonly #deps: LanesDeps<Item>;
  readonly #waiting = new Map<string, Lane>();
  readonly #busy = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: LanesDeps<Item>) {
    this.#deps = deps;
  }

  /** There is something to do in a lane. */
  wake(lane: Lane): void {
    this.#waiting.set(lane.key, lane);
    this.#serve();
  }

  /** Begins nothing more, and waits for what runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #serve(): void {
    for (const lane of [...this.#waiting.values()]) {
      const hands = this.#isClosed ? 0 : this.#free(lane);
      if (hands === 0) continue;
      this.#waiting.delete(lane.key);
      this.#hold(lane, hands);
      this.#track(this.#claim(lane, hands));
    }
  }

  async #claim(lane: Lane, hands: number): Promise<void> {
    let items: Item[] = [];
    try {
      items = await this.#deps.claim(lane, hands);
    } catch (err) {
      this.#deps.log.error({ err, lane: lane.key }, 'a lane could not be read; it is looked at again later');
    }
    this.#hold(lane, items.length - hands);
    // With so many there may be more. At the end of the queue: others wait too.
    if (items.length === hands) this.#waiting.set(lane.key, lane);
    for (const item of items) this.#track(this.#run(lane, item));
    this.#serve();
  }

  async #run(lane: Lane, item: Item): Promise<void> {
    try {
      await this.#deps.run(item);
    } catch (err) {
      this.#deps.log.error({ err, lane: lane.key }, 'work in a lane failed; it is taken up again later');
    }
    this.#hold(lane, -1);
    this.#serve();
  }

  #free({ key, owner }: Lane): number {
    const { lane, owner: ofOwner, all } = this.#deps.most;
    const free = (name: string, most: number) => most - (this.#busy.get(name) ?? 0);
    return Math.max(
      0,
      Math.min(free(`lane ${key}`, lane), free(`owner ${owner}`, ofOwner), free('all', all)),
    );
  }

  #hold({ key, owner }: Lane, hands: number): void {
    for (const name of [`lane ${key}`, `owner ${owner}`, 'all']) {
      const busy = (this.#busy.get(name) ?? 0) + hands;
      if (busy > 0) this.#busy.set(name, busy);
      else this.#busy.delete(name);
    }
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }
}
