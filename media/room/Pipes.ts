import { randomUUID } from 'node:crypto';
import type { RoomRouter } from '../router/RoomRouter.ts';

interface Pair {
  ends: [RoomRouter, RoomRouter];
  pipeId: Promise<string>;
}

/**
 * The pipes between the parts of one room: one for each two parts that send each other anything, made when it is first wanted. What
 * fails is forgotten, so that the next who wants it tries again.
 */
export class Pipes {
  readonly #pairs = new Map<string, Pair>();

  /** The pipe between these two, by its id. */
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

  /** A part is gone: the far ends of its pipes close, and with them what came over them. */
  async forget(router: RoomRouter): Promise<void> {
    const closing: Promise<unknown>[] = [];
    for (const [key, { ends, pipeId }] of this.#pairs) {
      if (!ends.includes(router)) continue;
      this.#pairs.delete(key);
      const far = ends.find((end) => end !== router);
      closing.push(pipeId.then((id) => far?.closePipe(id)));
    }
    // A pipe that could not be made has no far end, and a part that can't be told is about to go.
    await Promise.allSettled(closing);
  }
}

async function connect(from: RoomRouter, to: RoomRouter): Promise<string> {
  const pipeId = randomUUID();
  // Workers of one node reach each other without leaving it.
  const secure = from.nodeId !== to.nodeId;
  const opening = [from.openPipe(pipeId, secure), to.openPipe(pipeId, secure)] as const;
  try {
    const [near, far] = await Promise.all(opening);
    await Promise.all([from.connectPipe(pipeId, far), to.connectPipe(pipeId, near)]);
    return pipeId;
  } catch (error) {
    // An end that is still being opened would stay, and keep its port.
    await Promise.allSettled(opening);
    await Promise.allSettled([from.closePipe(pipeId), to.closePipe(pipeId)]);
    throw error;
  }
}
