import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { PeerInfo } from '../MediaCluster.ts';
import { isUnreachable, unreachable } from '../router/unreachable.ts';
import { isStale } from './MediaNode.ts';
import { place } from '../room/placement.ts';
import { RecentPlacements } from '../room/RecentPlacements.ts';
import type { MediaNodes } from './MediaNodes.ts';
import type { Owner, RoomOwners } from './RoomOwners.ts';

/** A room as this signalling node knows it. */
export interface KnownRoom {
  owner: Owner;
  /** Peers that joined or resumed through this node. */
  peers: Map<string, PeerInfo>;
}

interface KnownRoomsOptions {
  owners: RoomOwners;
  nodes: MediaNodes;
  log: Logger;
}

/** Within this a dead node is known to be dead, and another is found. */
const openLimitMs = 8_000;
export const retryMs = 100;

/**
 * Which node has which room, as this signalling node knows: what was read in the owners' table is remembered until a node refuses it or
 * dies. Rooms nobody has are given to the least loaded.
 */
export class KnownRooms {
  readonly #owners: RoomOwners;
  readonly #nodes: MediaNodes;
  readonly #log: Logger;
  readonly #rooms = new Map<string, KnownRoom>();
  readonly #recent = new RecentPlacements();
  /** Rooms on their way from a node that is about to leave. */
  readonly #handingOver = new Set<string>();
  #closed = false;

  constructor({ owners, nodes, log }: KnownRoomsOptions) {
    this.#owners = owners;
    this.#nodes = nodes;
    this.#log = log;
  }

  get(roomId: string): KnownRoom | undefined {
    return this.#rooms.get(roomId);
  }

  /** The rooms of a node. */
  on(nodeId: string): string[] {
    return [...this.#rooms].filter(([, { owner }]) => owner.nodeId === nodeId).map(([roomId]) => roomId);
  }

  forget(roomId: string): void {
    this.#rooms.delete(roomId);
  }

  clear(): void {
    this.#rooms.clear();
  }

  close(): void {
    this.#closed = true;
  }

  /** @returns false where the room is to be known, and is over */
  async open(roomId: string, which: 'new or known' | 'known'): Promise<boolean> {
    const deadline = Date.now() + openLimitMs;
    for (;;) {
      const before = await this.#owners.find(roomId);
      if (!before && which === 'known') return false;
      const owner = await this.#ownerFor(roomId, before);
      try {
        if (owner) {
          await this.#openOn(roomId, owner);
          return true;
        }
      } catch (error) {
        // Dead, but nobody knows it yet; or somebody was faster.
        if (!isUnreachable(error) && !isStale(error)) throw error;
      }
      if (Date.now() > deadline || this.#closed) throw noMediaNode();
      await delay(retryMs);
    }
  }

  /** @throws ParleyError NOT_FOUND for one that is over */
  async look(roomId: string): Promise<KnownRoom> {
    const owner = await this.#owners.find(roomId);
    if (!owner) throw gone();
    return this.#know(roomId, owner);
  }

  /** Whether another node has it than this one. */
  async hasMoved(roomId: string, from: Owner): Promise<boolean> {
    const now = await this.#owners.find(roomId);
    if (!now || now.epoch === from.epoch) return false;
    this.#know(roomId, now);
    return true;
  }

  /**
   * Opens a room on another node, while it is open still where it is.
   * @returns who had it, too; null where no node can take it, or it is over
   */
  async handOver(roomId: string): Promise<{ room: KnownRoom; former: Owner } | null> {
    const room = this.#rooms.get(roomId);
    const nodeId = place(this.#nodes.candidates(), this.#recent.counts);
    if (!room || !nodeId || this.#handingOver.has(roomId)) return null;
    this.#handingOver.add(roomId);
    const former = room.owner;
    try {
      this.#recent.add(nodeId);
      const owner = await this.#owners.claim(roomId, nodeId, former);
      if (owner) await this.#openOn(roomId, owner);
      else this.#rooms.delete(roomId);
      return owner && { room, former };
    } finally {
      this.#handingOver.delete(roomId);
    }
  }

  async closeOn(roomId: string, owner: Owner): Promise<void> {
    this.#rooms.delete(roomId);
    try {
      const link = await this.#nodes.link(owner.nodeId);
      await link?.call('closeRoom', { roomId, epoch: owner.epoch });
    } catch (err) {
      // Its node finds out by itself that the room is no longer its own.
      this.#log.warn({ err, roomId }, 'a room could not be closed at once');
    }
  }

  /** Who has the room, or is given it now; null when there is nobody to give it to. */
  async #ownerFor(roomId: string, owner: Owner | null): Promise<Owner | null> {
    if (owner && (await this.#nodes.link(owner.nodeId))) return owner;
    const nodeId = place(this.#nodes.candidates(), this.#recent.counts);
    if (!nodeId) return null;
    this.#recent.add(nodeId);
    const claimed = await this.#owners.claim(roomId, nodeId, owner);
    return claimed && (await this.#nodes.link(claimed.nodeId)) ? claimed : null;
  }

  async #openOn(roomId: string, owner: Owner): Promise<void> {
    const link = await this.#nodes.link(owner.nodeId);
    if (!link) throw unreachable();
    await link.call('openRoom', { roomId, epoch: owner.epoch });
    this.#know(roomId, owner);
  }

  #know(roomId: string, owner: Owner): KnownRoom {
    const known = this.#rooms.get(roomId) ?? { owner, peers: new Map<string, PeerInfo>() };
    known.owner = owner;
    this.#rooms.set(roomId, known);
    return known;
  }
}

export const gone = () => new ParleyError('NOT_FOUND', 'There is no such room, or it is over.');
const noMediaNode = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'No media node is there to take the room: try again in a moment.', {
    retryAfter: 1,
  });
