import { Doubts } from '../Doubts.ts';
import { Slots } from '../../platform/limits/Slots.ts';
import { appliesRules, lostAtOnce, type NodeDied } from '../../platform/node/OwnNode.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import type { ConferenceMembership } from './ConferenceMembership.ts';
import type { ConferenceRooms } from './ConferenceRooms.ts';
import type { MemberRow, RoomRow } from './tables.ts';

/** An upper bound on the time between storing a change and sending its events. */
const interruptedMs = 10_000;

/**
 * Completes what a dead node or a database outage left undone: sets deadlines for lost devices that nobody noticed, sends events again, and
 * closes media that was left open.
 */
export class ConferenceMaintenance {
  readonly #deps: ConferenceDeps;
  readonly #memberships: ConferenceMembership;
  readonly #rooms: ConferenceRooms;
  readonly #doubts: Doubts;

  constructor(deps: ConferenceDeps, memberships: ConferenceMembership, rooms: ConferenceRooms) {
    this.#deps = deps;
    this.#memberships = memberships;
    this.#rooms = rooms;
    this.#doubts = new Doubts((roomId, since) => this.#announceAgain(roomId, since), interruptedMs);
    deps.store.onDoubt((roomIds) => this.#doubts.add(...roomIds));
  }

  close(): void {
    this.#doubts.close();
  }

  /**
   * Gives participants that were connected to the dead node the usual grace period. Announces the node's last changes again, with events
   * that may safely arrive twice.
   */
  async onNodeDied(nodeId: string, { seenAt, diedAt, roles }: NodeDied): Promise<void> {
    if (!appliesRules(roles)) return;
    const { store, notifier, media, participantTokens, graceMs, log } = this.#deps;
    const seen = Date.parse(seenAt);
    // The grace period counts from the node's last heartbeat, but participants always have at least half of it left to reach another node.
    const dueAt = new Date(Math.max(seen + graceMs, Date.now() + graceMs / 2));
    const slots = new Slots(lostAtOnce, Infinity);
    const lost = await store.onNode(nodeId);
    await Promise.all(lost.map((member) => slots.run(() => this.#memberships.expectBack(member, dueAt))));
    const [from, to] = [new Date(seen - interruptedMs), new Date(Date.parse(diedAt) + interruptedMs)];
    for (const row of await store.endedBetween(from, to)) {
      await this.#rooms
        .endAgain(row)
        .catch((err: unknown) => log.warn({ err, roomId: row.id }, 'end of room not announced again'));
    }
    for (const { subjectId, id } of await participantTokens.revokedBetween('room_', from, to))
      await this.#memberships
        .revoke(subjectId, id)
        .catch((err: unknown) => log.warn({ err, tokenId: id }, 'participant token not revoked again'));
    // Joins and leaves are not announced one by one: the devices in the rooms concerned are asked to reload.
    const changed = await store.changedBetween(from, to);
    const changedRooms = await store.roomsChangedBetween(from, to);
    for (const roomId of new Set([
      ...changed.map(({ roomId }) => roomId),
      ...changedRooms.map(({ id }) => id),
    ]))
      notifier.requestReload(roomId);
    await this.#announceWaiting(changedRooms, changed);
    // Nobody who was removed may still send or receive.
    for (const { roomId, wallet: identity, revision, standing } of changed)
      if (standing !== 'present') await media.evict(roomId, { identity, revision }, null);
    for (const room of changedRooms)
      await this.#rooms.enforceRights(room).catch((err: unknown) => {
        log.warn({ err, roomId: room.id }, 'refused media not closed yet');
        store.doubt(room.id);
      });
  }

  /**
   * Announces what may have changed in a room since this time, with events that may safely arrive twice. Before that, ends what participants
   * may no longer send or receive: if its node cannot be reached, all of this is repeated.
   */
  async #announceAgain(roomId: string, since: Date): Promise<void> {
    const { store, notifier, media, recordings } = this.#deps;
    const room = (await store.roomsById([roomId])).get(roomId);
    if (room?.endedAt && room.endedAt >= since) return this.#rooms.endAgain(room);
    if (room?.status !== 'waiting' && room?.status !== 'active') return;
    await this.#rooms.enforceRights(room);
    await recordings.goIfHeld(roomId);
    const changed = await store.changedSince(roomId, since);
    notifier.requestReload(roomId);
    await this.#announceWaiting([room], changed);
    for (const { wallet: identity, revision, standing } of changed)
      if (standing !== 'present') await media.evict(roomId, { identity, revision }, null);
  }

  /**
   * Announces what may have changed in waiting rooms. Wallets that wait, or did, join again: a host may have admitted or denied
   * them, or opened the room. The hosts are told of those who have begun to wait.
   */
  async #announceWaiting(rooms: RoomRow[], changed: MemberRow[]): Promise<void> {
    const { store, notifier } = this.#deps;
    for (const { id } of rooms) for (const member of await store.waitingIn(id)) notifier.joinAgain(member);
    for (const member of changed) if (member.standing === 'removed') notifier.joinAgain(member);
    const begun = changed.filter(({ standing }) => standing === 'waiting');
    const theirs = await store.roomsById(begun.map(({ roomId }) => roomId));
    for (const member of begun) {
      const room = theirs.get(member.roomId);
      if (room) await notifier.waiting(room, member, 'joined');
    }
  }

  /**
   * Called periodically, and when events may have been lost. Sets deadlines for devices that are no longer connected to this node,
   * unsubscribes those that were removed, and closes the media of ended rooms.
   */
  async sweep(isConnected: (socketId: string) => boolean): Promise<void> {
    const { store, notifier, node, media } = this.#deps;
    for (const member of await store.onNode(node.id)) {
      if (member.socket && !isConnected(member.socket)) await this.#memberships.expectBack(member);
    }
    await notifier.unsubscribeFormer();
    for (const roomId of await store.withMediaLeft()) await media.closeRoom(roomId);
  }
}
