import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { PeerInfo } from '../roomOperations.ts';
import { isUnreachable, unreachable } from '../router/unreachable.ts';
import { isStale } from './MediaNode.ts';
import { place } from '../room/placement.ts';
import { RecentPlacements } from '../room/RecentPlacements.ts';
import type { MediaLinks } from './MediaLinks.ts';
import type { Owner, RoomOwners } from './RoomOwners.ts';

/** A room that this signalling node knows, with its last known owner. */
export interface KnownRoom {
  owner: Owner;
  /** The owner before, which may still have peers that have not moved yet. */
  former: Owner | null;
  /** Peers that joined or resumed through this node. */
  peers: Map<string, PeerInfo>;
}

interface KnownRoomsOptions {
  owners: RoomOwners;
  nodes: MediaLinks;
  /** Called when a room has another owner than these peers joined. */
  onMoved: (roomId: string, peers: PeerInfo[], former: Owner) => void;
  log: Logger;
}

/** The maximum time to open a room. It is long enough for a dead owner to be declared dead and for the room to get another one. */
const openLimitMs = 8_000;
export const retryMs = 100;

/**
 * The owners of rooms, as far as this signalling node knows them. Owners are read from the table and remembered until a node refuses a
 * request or dies. Rooms without an owner are placed on a node with little load.
 */
export class KnownRooms {
  readonly #owners: RoomOwners;
  readonly #nodes: MediaLinks;
  readonly #onMoved: KnownRoomsOptions['onMoved'];
  readonly #log: Logger;
  readonly #rooms = new Map<string, KnownRoom>();
  readonly #recent = new RecentPlacements();
  /** Rooms that are being handed over from a draining node. */
  readonly #handingOver = new Set<string>();
  #closed = false;

  constructor({ owners, nodes, onMoved, log }: KnownRoomsOptions) {
    this.#owners = owners;
    this.#nodes = nodes;
    this.#onMoved = onMoved;
    this.#log = log;
  }

  get(roomId: string): KnownRoom | undefined {
    return this.#rooms.get(roomId);
  }

  /** The ids of the known rooms that a node owns. */
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

  /**
   * Opens a room on its owner. A room without a living owner is first assigned to a node.
   * @returns false if `which` is `known` and the room has ended
   */
  async open(roomId: string, which: 'new or known' | 'known'): Promise<boolean> {
    const deadline = performance.now() + openLimitMs;
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
        // The owner is dead but not declared dead yet, or another node claimed the room first.
        if (!isUnreachable(error) && !isStale(error)) throw error;
      }
      if (performance.now() > deadline || this.#closed) throw noMediaNode();
      await delay(retryMs);
    }
  }

  /** Reads the owner of a room. @throws ParleyError NOT_FOUND when the room has ended */
  async load(roomId: string): Promise<KnownRoom> {
    const owner = await this.#owners.find(roomId);
    if (!owner) throw gone();
    return this.#know(roomId, owner);
  }

  /** Reads the room's owner again. @returns whether the room has another owner now */
  async hasMoved(roomId: string, from: Owner): Promise<boolean> {
    const now = await this.#owners.find(roomId);
    if (!now || now.epoch === from.epoch) return false;
    this.#know(roomId, now);
    return true;
  }

  /** Opens a room on another node, while it stays open on its current node. No effect if no node can take it. */
  async handOver(roomId: string): Promise<void> {
    const room = this.#rooms.get(roomId);
    const nodeId = place(this.#nodes.candidates(), this.#recent.counts);
    if (!room || !nodeId || this.#handingOver.has(roomId)) return;
    this.#handingOver.add(roomId);
    try {
      this.#recent.add(nodeId);
      const owner = await this.#owners.claim(roomId, nodeId, room.owner);
      if (owner) await this.#openOn(roomId, owner);
      else this.#rooms.delete(roomId);
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
      // The owner closes the room later, when it finds that it no longer owns it.
      this.#log.warn({ err, roomId }, 'room could not be closed immediately');
    }
  }

  /** The room's owner. Claims the room for a node if its owner is dead or it has none. Null when no node is available. */
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
    const known = this.#rooms.get(roomId) ?? { owner, former: null, peers: new Map<string, PeerInfo>() };
    this.#rooms.set(roomId, known);
    const former = known.owner;
    // A later owner is known already: this one was read before.
    if (owner.epoch <= former.epoch) return known;
    known.owner = owner;
    known.former = former;
    const peers = [...known.peers.values()];
    known.peers.clear();
    if (peers.length > 0) this.#onMoved(roomId, peers, former);
    return known;
  }
}

export const gone = () => new ParleyError('NOT_FOUND', 'There is no such room, or it has ended.');
const noMediaNode = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'No media node is available for the room: try again in a moment.', {
    retryAfter: 1,
  });
