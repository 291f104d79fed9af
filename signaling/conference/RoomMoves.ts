import { ParleyError } from '../../sdk/protocol/errors.ts';
import { isGuest } from '../../sdk/protocol/party.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import type { MemberChanges } from './ConferenceStore.ts';
import { rootOf } from './FamilyStore.ts';
import { denied } from './refusals.ts';
import { RoomExits } from './RoomExits.ts';
import type { MemberRow, RoomRow } from './tables.ts';

/**
 * Moves participants from one room to another. Their devices then join the other room by themselves. A device that missed the event claims
 * its former room when it is back, and is told where to.
 */
export class RoomMoves {
  readonly #deps: ConferenceDeps;
  readonly #exits: RoomExits;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    this.#exits = new RoomExits(deps);
  }

  /**
   * Call inside a transaction that has locked both rooms.
   * @param members participants of `from`, and those who were moved there and have not arrived
   * @returns the memberships of the participants as they were, with the revisions of their end
   * @throws ParleyError ACCESS_DENIED, CONFLICT for guests who cannot enter the other room
   */
  async move(executor: Executor, from: RoomRow, to: RoomRow, members: MemberRow[]): Promise<MemberRow[]> {
    if (members.length === 0) return [];
    const { store } = this.#deps;
    const wallets = members.map(({ wallet }) => wallet);
    const there = await store.membersOf(to.id, wallets, executor);
    const isThere = ({ wallet }: MemberRow) => there.get(wallet)?.standing === 'present';
    for (const member of members.filter(({ wallet }) => isGuest(wallet))) {
      if (to.gate)
        throw denied('guest', 'Only wallets can pass the gate of that room: move no guests there.');
      if (isThere(member))
        throw new ParleyError('CONFLICT', 'A guest with the same identity is in that room: remove it first.');
    }
    const exit = { standing: 'away', reason: 'moved', movedTo: to.id } as const;
    const left = await this.#exits.vacateAll(
      executor,
      from,
      members.map((member) => ({ member, ...exit })),
    );
    // A wallet that is in the other room already, with another device, stays there.
    const arriving = members.filter((member) => !isThere(member));
    const prepared = arriving.map(
      (member) => [member.wallet, expected(member, { from, to }, there.get(member.wallet))] as const,
    );
    await store.putMembers(executor, to.id, new Map(prepared));
    await store.redirect(executor, wallets, from.id, to.id);
    return left.filter(({ standing }) => standing === 'present');
  }
}

/** The membership of somebody who is on the way to a room. */
function expected(
  member: MemberRow,
  { from, to }: Record<'from' | 'to', RoomRow>,
  before: MemberRow | undefined,
): MemberChanges {
  const { wallet, role, displayName, grants, metadata, tokenId, muted, gateCheckedAt } = member;
  return {
    standing: before?.standing === 'waiting' ? 'waiting' : 'away',
    isInvited: true,
    role: wallet === to.host ? 'host' : role,
    displayName,
    grants,
    metadata,
    tokenId,
    muted,
    movedTo: to.id,
    // A breakout has the gate of its parent, which counts as passed while it cannot be read.
    gateCheckedAt: rootOf(from) === rootOf(to) ? gateCheckedAt : null,
  };
}
