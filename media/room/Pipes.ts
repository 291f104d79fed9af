import { randomUUID } from 'node:crypto';
import type { RoomRouter } from '../router/RoomRouter.ts';

interface Pair {
  ends: [RoomRouter, RoomRouter];
  pipeId: Promise<string>;
}

/**
 * The pipes between the routers of one room. There is one per pair of routers, created on first use. A failed pipe is forgotten, so that
 * the next use tries again.
 */
export class Pipes {
  readonly #pairs = new Map<string, Pair>();

  /** Opens a pipe between two routers, unless there is one. @returns its id */
  between(from: RoomRouter, to: RoomRouter): Promise<string> {
    const key = [from.id, to.id].sort().join(' ');
    const there = this.#pairs.get(key);
    if (there) return there.pipeId;
    const pair: Pair = { ends: [from, to], pipeId: connect(from, to) };
    this.#pairs.set(key, pair);
    pair.pipeId.catch(() => {
      if (this.#pairs.get(key) === pair) this.#pairs.delete(key);
    });
    return pair.pipeId;
  }

  /** Closes the far ends of the pipes of a router that is gone, with all producers that came over them. */
  async forget(router: RoomRouter): Promise<void> {
    const closing: Promise<unknown>[] = [];
    for (const [key, { ends, pipeId }] of this.#pairs) {
      if (!ends.includes(router)) continue;
      this.#pairs.delete(key);
      const far = ends.find((end) => end !== router);
      closing.push(pipeId.then((id) => far?.closePipe({ pipeId: id })));
    }
    // A pipe that failed to open has no far end, and a router that does not answer is about to close.
    await Promise.allSettled(closing);
  }
}

async function connect(from: RoomRouter, to: RoomRouter): Promise<string> {
  const pipeId = randomUUID();
  // Between workers of one node, packets do not leave the host.
  const secure = from.nodeId !== to.nodeId;
  const opening = [from.openPipe({ pipeId, secure }), to.openPipe({ pipeId, secure })] as const;
  try {
    const [near, far] = await Promise.all(opening);
    await Promise.all([from.connectPipe({ pipeId, far }), to.connectPipe({ pipeId, far: near })]);
    return pipeId;
  } catch (error) {
    // Wait for both ends: an end that is still opening would stay and keep its port.
    await Promise.allSettled(opening);
    await Promise.allSettled([from.closePipe({ pipeId }), to.closePipe({ pipeId })]);
    throw error;
  }
}
