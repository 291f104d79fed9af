import type { PartyId } from '../../sdk/protocol/party.ts';
import type { LeftReason } from '../../sdk/protocol/webhookData.ts';
import type { Expected } from '../socket/expected.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import { KeyedGroupCommit } from '../../platform/database/GroupCommit.ts';
import { emptyAt, jobKinds, memberSubject, type ConferenceDeps } from './ConferenceDeps.ts';
import { leftEvent } from './accountEvents.ts';
import { gone } from './ConferenceStore.ts';
import { rootOf } from './FamilyStore.ts';
import type { MemberRow, RoomRow } from './tables.ts';

interface Leaving {
  wallet: PartyId;
  /** The wallet leaves only if its membership is on one of these connections. */
  connections: string[];
  reason: 'left' | 'connection_lost';
}

/** How a membership ends. */
export interface Exit {
  standing: 'away' | 'removed';
  reason: LeftReason;
  /** The room that the party is moved to. From there, it may come back by itself. */
  movedTo?: string;
}

interface Missing {
  member: MemberRow;
  dueAt: Date;
  isSilent: boolean;
}

type ExitDeps = Pick<ConferenceDeps, 'store' | 'jobs' | 'accountEvents' | 'graceMs'>;

/** The maximum number of exits per transaction. */
const groupSize = 100;

/**
 * Removes wallets from rooms. All who leave a room at the same time are removed in one transaction. Separate transactions would each wait
 * for the lock on the room's row, and hold a database connection while waiting.
 */
export class RoomExits {
  readonly #deps: ExitDeps;
  readonly #leaving = new KeyedGroupCommit<Leaving, MemberRow | null>({
    size: groupSize,
    write: (roomId, all) => this.#leaveAll(roomId, all),
  });
  readonly #missing = new KeyedGroupCommit<Missing, MemberRow | null>({
    size: groupSize,
    write: (roomId, all) => this.#expectAll(roomId, all),
  });

  constructor(deps: ExitDeps) {
    this.#deps = deps;
  }

  /**
   * Removes a wallet from the room or its waiting room.
   * @returns the membership as it was, with the revision of its end; null if it was on none of these connections
   */
  leave(
    roomId: string,
    wallet: PartyId,
    connections: string[],
    reason: Leaving['reason'],
  ): Promise<MemberRow | null> {
    return this.#leaving.run(roomId, { wallet, connections, reason });
  }

  /**
   * Sets the deadline by which a member's device must come back, unless the member is on another connection or already has a deadline.
   * @returns the participant if the others must now be told that it is away; otherwise null, as for waiting members
   */
  expectBack(member: MemberRow, dueAt: Date, isSilent = false): Promise<MemberRow | null> {
    return this.#missing.run(member.roomId, { member, dueAt, isSilent });
  }

  /**
   * Removes the deadline of a silent connection that answers again.
   * @returns the participant, if it was reported as away; otherwise null
   */
  heardAgain({ roomId, wallet, socket }: MemberRow): Promise<MemberRow | null> {
    const { store, jobs } = this.#deps;
    return store.inRoom(roomId, async (executor) => {
      const now = await store.member(roomId, wallet, executor);
      const subject = memberSubject(roomId, wallet);
      const before = (await jobs.find(executor, jobKinds.gone, subject))?.payload as Expected | undefined;
      // The member has left, or is on another connection.
      if (!before?.isSilent || before.socket !== socket || now?.socket !== socket) return null;
      await jobs.cancel(executor, jobKinds.gone, subject);
      return now.standing === 'present' ? now : null;
    });
  }

  /** Removes a member. Call inside a transaction that has locked the room. @returns as leave() does */
  async vacate(executor: Executor, room: RoomRow, member: MemberRow, exit: Exit): Promise<MemberRow> {
    const [left = member] = await this.vacateAll(executor, room, [{ member, ...exit }]);
    return left;
  }

  #leaveAll(roomId: string, all: Leaving[]): Promise<(MemberRow | null)[]> {
    return this.#deps.store.inRoom(roomId, async (executor, room) => {
      const wallets = all.map(({ wallet }) => wallet);
      const there = await this.#deps.store.membersOf(roomId, wallets, executor);
      const leaving = all.map(({ wallet, connections }) => {
        const member = there.get(wallet);
        if (!member?.socket || !connections.includes(member.socket)) return null;
        // Each wallet leaves once, even if it has sent several requests.
        there.delete(wallet);
        return member;
      });
      const exits = leaving.flatMap((member, index) =>
        member ? [{ member, standing: 'away' as const, reason: all[index]?.reason ?? 'left' }] : [],
      );
      const left = await this.vacateAll(executor, room, exits);
      return leaving.map((member) => left.find(({ wallet }) => wallet === member?.wallet) ?? null);
    });
  }

  /**
   * Like vacate(), for several members.
   * @param exits all with the same standing and the same `movedTo`
   */
  async vacateAll(
    executor: Executor,
    room: RoomRow,
    exits: (Exit & { member: MemberRow })[],
  ): Promise<MemberRow[]> {
    const [first] = exits;
    if (!first) return [];
    const { store, jobs, accountEvents, graceMs } = this.#deps;
    const members = exits.map(({ member }) => member);
    const { standing, movedTo = null } = first;
    const wallets = members.map(({ wallet }) => wallet);
    const revisions = await store.endMembers(executor, room.id, wallets, {
      ...gone,
      standing,
      movedTo,
      changedAt: new Date(),
      ...(movedTo ? { isInvited: true } : {}),
      ...(standing === 'removed' ? { isInvited: false, role: 'participant' } : {}),
    });
    const subjects = wallets.map((wallet) => memberSubject(room.id, wallet));
    await jobs.cancelAll(executor, [jobKinds.gone, jobKinds.gate], subjects);
    const present = exits.filter(({ member }) => member.standing === 'present');
    await accountEvents.emit(executor, { id: room.id, owner: room.host }, () =>
      present.map(({ member, reason }) => leftEvent(room, member, reason, movedTo)),
    );
    // Only this room is locked: whether its family is empty too is checked when the job is due.
    const mayBeLast = room.status !== 'ended' && present.length > 0;
    if (mayBeLast && !(await store.countPresentIn([room.id], executor)).has(room.id)) {
      const rootId = rootOf(room);
      const root = (await store.roomsById([rootId], executor)).get(rootId) ?? room;
      // Those who are moved are on their way, and may have to connect again first.
      const delay = Math.max(root.settings.emptyTimeout * 1_000, movedTo ? graceMs : 0);
      await jobs.set(executor, jobKinds.empty, rootId, emptyAt(root, delay));
    }
    return members.map((member) => ({
      ...member,
      revision: revisions.get(member.wallet) ?? member.revision,
    }));
  }

  #expectAll(roomId: string, all: Missing[]): Promise<(MemberRow | null)[]> {
    const { store } = this.#deps;
    return store.inRoom(roomId, async (executor) => {
      const wallets = all.map(({ member }) => member.wallet);
      const there = await store.membersOf(roomId, wallets, executor);
      const away: (MemberRow | null)[] = [];
      for (const missing of all)
        away.push(await this.#expect(executor, there.get(missing.member.wallet), missing));
      return away;
    });
  }

  async #expect(
    executor: Executor,
    now: MemberRow | undefined,
    { member: { roomId, wallet, socket }, dueAt, isSilent }: Missing,
  ): Promise<MemberRow | null> {
    const { jobs } = this.#deps;
    if (!socket || now?.socket !== socket) return null;
    const subject = memberSubject(roomId, wallet);
    const before = (await jobs.find(executor, jobKinds.gone, subject))?.payload as Expected | undefined;
    const isKnown = before?.socket === socket;
    if (isKnown && (isSilent || !before.isSilent)) return null;
    const expected: Expected = { socket, isSilent };
    await jobs.set(executor, jobKinds.gone, subject, dueAt, expected);
    return !isKnown && now.standing === 'present' ? now : null;
  }
}
