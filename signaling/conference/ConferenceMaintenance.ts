import type { NodeDied } from '../../platform/node/OwnNode.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import type { ConferenceMembership } from './ConferenceMembership.ts';
import type { ConferenceRooms } from './ConferenceRooms.ts';

/** Longer than the time between storing a change and sending its events. */
const interruptedMs = 10_000;

/** Repairs what a dead node or a database outage left undone: lost devices, unsent events, open media. */
export class ConferenceMaintenance {
  readonly #deps: ConferenceDeps;
  readonly #memberships: ConferenceMembership;
  readonly #rooms: ConferenceRooms;

  constructor(deps: ConferenceDeps, memberships: ConferenceMembership, rooms: ConferenceRooms) {
    this.#deps = deps;
    this.#memberships = memberships;
    this.#rooms = rooms;
  }

  /** Participants connected to the dead node get the usual grace period. Its last changes are announced again, in idempotent events. */
  async onNodeDied(nodeId: string, { seenAt, diedAt, roles }: NodeDied): Promise<void> {
    if (!roles.includes('signaling')) return;
    const { store, notifier, graceMs, log } = this.#deps;
    const seen = Date.parse(seenAt);
    // Counted from the node's last heartbeat, but participants always have half the grace period to reach this node.
    const dueAt = new Date(Math.max(seen + graceMs, Date.now() + graceMs / 2));
    for (const member of await store.onNode(nodeId)) await this.#memberships.expectBack(member, dueAt);
    const [from, to] = [new Date(seen - interruptedMs), new Date(Date.parse(diedAt) + interruptedMs)];
    for (const row of await store.endedBetween(from, to)) {
      await this.#rooms
        .endAgain(row)
        .catch((err: unknown) => log.warn({ err, roomId: row.id }, 'end of room not announced again'));
    }
    // Joins and leaves: the devices of these rooms are asked to load again.
    const changed = new Set((await store.changedBetween(from, to)).map(({ roomId }) => roomId));
    for (const roomId of changed) notifier.requestReload(roomId);
  }

  /** Called periodically. */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    const { store, node } = this.#deps;
    for (const member of await store.onNode(node.id)) {
      if (member.socket && !isConnected(member.socket)) await this.#memberships.expectBack(member);
    }
    for (const roomId of await store.withMediaLeft()) await this.#rooms.closeMedia(roomId);
  }
}
