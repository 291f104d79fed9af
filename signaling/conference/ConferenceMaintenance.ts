import type { NodeDied } from '../../platform/node/OwnNode.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import type { ConferenceMembership } from './ConferenceMembership.ts';
import type { ConferenceRooms } from './ConferenceRooms.ts';

/** Longer than anything takes between storing a step and telling of it. */
const interruptedMs = 10_000;

/** What is made good when a node died, or the database was away: the going of devices, news nobody heard, media left open. */
export class ConferenceMaintenance {
  readonly #deps: ConferenceDeps;
  readonly #memberships: ConferenceMembership;
  readonly #rooms: ConferenceRooms;

  constructor(deps: ConferenceDeps, memberships: ConferenceMembership, rooms: ConferenceRooms) {
    this.#deps = deps;
    this.#memberships = memberships;
    this.#rooms = rooms;
  }

  /** Who was connected to it has the usual time to come back; what it may have left untold is told, and those who know hear nothing new. */
  async onNodeDied(nodeId: string, { seenAt, diedAt, roles }: NodeDied): Promise<void> {
    if (!roles.includes('signaling')) return;
    const { store, notifier, graceMs, log } = this.#deps;
    const seen = Date.parse(seenAt);
    // From when it was last heard of; but nobody is given up before this node had the time to hear of them.
    const dueAt = new Date(Math.max(seen + graceMs, Date.now() + graceMs / 2));
    for (const member of await store.onNode(nodeId)) await this.#memberships.expectBack(member, dueAt);
    const [from, to] = [new Date(seen - interruptedMs), new Date(Date.parse(diedAt) + interruptedMs)];
    for (const row of await store.endedBetween(from, to)) {
      await this.#rooms
        .endAgain(row)
        .catch((err: unknown) => log.warn({ err, roomId: row.id }, 'room’s end not told again'));
    }
    // Who came and who left: the room’s devices ask.
    const changed = new Set((await store.changedBetween(from, to)).map(({ roomId }) => roomId));
    for (const roomId of changed) notifier.lookAgain(roomId);
  }

  /** To be run now and then. */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    const { store, node } = this.#deps;
    for (const member of await store.onNode(node.id)) {
      if (member.socket && !isConnected(member.socket)) await this.#memberships.expectBack(member);
    }
    for (const roomId of await store.withMediaLeft()) await this.#rooms.closeMedia(roomId);
  }
}
