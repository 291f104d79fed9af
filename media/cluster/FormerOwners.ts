import type { Logger } from 'pino';
import type { MediaLinks } from './MediaLinks.ts';
import type { Owner } from './RoomOwners.ts';
import type { RpcName, RpcRequest } from './rpc.ts';

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
    await this.#tell(owner, 'leave', { roomId, epoch: owner.epoch, peerId });
    return true;
  }

  /** Removes a participant from the former owner of a room, if it has not moved yet. */
  async removeParticipant(
    roomId: string,
    owner: Owner,
    participant: Pick<RpcRequest<'removeParticipant'>, 'identity' | 'revision'>,
  ): Promise<void> {
    if (this.#nodes.candidate(owner.nodeId))
      await this.#tell(owner, 'removeParticipant', { roomId, epoch: owner.epoch, ...participant });
  }

  async #tell<Name extends RpcName>(owner: Owner, name: Name, request: RpcRequest<Name>): Promise<void> {
    try {
      const link = await this.#nodes.link(owner.nodeId);
      await link?.call(name, request);
    } catch (err) {
      // The former owner has closed the room, or is about to stop, which removes its peers too.
      this.#log.debug(
        { err, request: name, node: owner.nodeId },
        'former owner of a room could not remove a peer',
      );
    }
  }
}
