import { randomUUID } from 'node:crypto';
import type { PipedProducer, RoomPart } from './RoomPart.ts';

/** What is to be had in other parts of the room. */
interface Piped {
  producerId: string;
  /** The part its peer is in. */
  home: RoomPart;
  isPaused: boolean;
  isClosed: boolean;
}

interface Brought {
  to: RoomPart;
  producerId: string;
  done: Promise<void>;
}

interface Pair {
  ends: [RoomPart, RoomPart];
  pipeId: Promise<string>;
}

/**
 * The pipes between the parts of one room: one for each two parts, made when the first producer is wanted on the other side, and
 * each producer sent over it once, however many want it at the same moment. What fails is forgotten, so that the next who wants it
 * tries again.
 */
export class Pipes {
  readonly #pairs = new Map<string, Pair>();
  readonly #brought = new Map<string, Brought>();

  /** Makes a producer consumable in a part; at once where it is already. */
  async bring(piped: Piped, to: RoomPart): Promise<void> {
    if (piped.home === to) return;
    const key = keyOf(piped.producerId, to);
    const there = this.#brought.get(key);
    if (there) return there.done;
    const brought: Brought = { to, producerId: piped.producerId, done: this.#carry(piped, to) };
    this.#brought.set(key, brought);
    try {
      await brought.done;
    } catch (error) {
      if (this.#brought.get(key) === brought) this.#brought.delete(key);
      throw error;
    }
  }

  /** A producer was paused or resumed: what was made of it elsewhere follows. */
  async setPaused({ producerId, isPaused }: Piped): Promise<void> {
    await Promise.all(this.#of(producerId).map(({ to }) => to.setProducerPaused(producerId, isPaused)));
  }

  /** A producer is closed: what was made of it elsewhere is too. */
  async close({ producerId }: Piped): Promise<void> {
    const brought = this.#of(producerId);
    for (const { to } of brought) this.#brought.delete(keyOf(producerId, to));
    // One that is still on its way is closed when it arrives.
    await Promise.all(brought.map(({ to }) => to.closeProducer(producerId)));
  }

  /** A part is gone: the far ends of its pipes close, and with them what came over them. */
  forget(part: RoomPart): void {
    for (const [key, { to }] of this.#brought) if (to === part) this.#brought.delete(key);
    for (const [key, { ends, pipeId }] of this.#pairs) {
      if (!ends.includes(part)) continue;
      this.#pairs.delete(key);
      const far = ends.find((end) => end !== part);
      pipeId.then((id) => far?.closePipe(id)).catch(() => undefined);
    }
  }

  async #carry(piped: Piped, to: RoomPart): Promise<void> {
    const { producerId, home } = piped;
    const pipeId = await this.#pipe(home, to);
    const sent: PipedProducer = await home.sendOverPipe(pipeId, producerId);
    await to.takeFromPipe(pipeId, sent);
    if (piped.isClosed) await to.closeProducer(producerId);
    else if (piped.isPaused !== sent.paused) await to.setProducerPaused(producerId, piped.isPaused);
  }

  #pipe(from: RoomPart, to: RoomPart): Promise<string> {
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

  #of(producerId: string): Brought[] {
    return [...this.#brought.values()].filter((entry) => entry.producerId === producerId);
  }
}

async function connect(from: RoomPart, to: RoomPart): Promise<string> {
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

const keyOf = (producerId: string, to: RoomPart) => `${producerId} ${to.id}`;
