import type { Logger } from 'pino';
import type { MediaLinks } from './MediaLinks.ts';
import type { Owner } from './RoomOwners.ts';

/**
 * The former owners of rooms that were handed over, by the peers that are still there. An entry stays until the peer leaves or has joined
 * the room on its new owner.
 */
export class FormerOwners {
  readonly #nodes: MediaLinks;
  readonly #log: Logger;
  readonly #owners = new Map<string, Owner>();

  constructor(nodes: MediaLinks, log: Logger) {
    this.#nodes = nodes;
    this.#log = log;
    nodes.onDied((nodeId) => {
      for (const [peerId, former] of this.#owners) if (former.nodeId === nodeId) this.forget(peerId);
    });
  }

  add(peerId: string, owner: Owner): void {
    this.#owners.set(peerId, owner);
  }

  forget(peerId: string): void {
    this.#owners.delete(peerId);
  }

  /** Removes a peer from the former owner of its room. @returns false if the peer has no former owner */
  async leave(roomId: string, peerId: string): Promise<boolean> {
    const owner = this.#owners.get(peerId);
    if (!owner) return false;
    this.forget(peerId);
    try {
      const link = await this.#nodes.link(owner.nodeId);
      await link?.call('leave', { roomId, epoch: owner.epoch, peerId });
    } catch (err) {
      // The former owner is about to stop, which removes the peer too.
      this.#log.debug({ err, roomId, peerId }, 'peer could not leave its former node');
    }
    return true;
  }
}
