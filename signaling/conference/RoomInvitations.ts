import type { Executor } from '../../platform/database/Executor.ts';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { EventOf, RequestOf } from '../../sdk/protocol/wire.ts';
import type { NewEvent } from '../events/EventLog.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { ConferenceDeps } from './ConferenceDeps.ts';
import { mayKnow, mustHost } from './permissions.ts';
import { over } from './refusals.ts';
import type { MemberRow } from './tables.ts';
import { toRoom } from './toWire.ts';

/** The maximum number of wallets per room that have joined or were invited. */
const maxMembers = 10_000;

/** An invitation, as stored for devices that connect later. */
interface Invitation {
  roomId: string;
  from: Address;
}

interface Invitees {
  wallets: Address[];
  /** Those of the wallets who are invited without being notified. */
  unwanted: Set<Address>;
}

/** Invitations of wallets to rooms. */
export class RoomInvitations {
  readonly #deps: ConferenceDeps;

  constructor(deps: ConferenceDeps) {
    this.#deps = deps;
    deps.events.render('conference:invited', (wallet, stored) =>
      this.#describe(wallet, stored as Invitation[]),
    );
    deps.pushes.describe('conferenceInvite', async (wallet, roomId, from) => {
      const [room] = (await deps.store.roomsById([roomId])).values();
      const own = (await deps.store.membershipsOf(wallet, [roomId])).get(roomId);
      const isOpen = room !== undefined && room.status !== 'ended';
      const isWanted = isOpen && own?.isInvited && own.standing !== 'present';
      return isWanted && !(await deps.blockList.has(wallet, from)) ? {} : 'old';
    });
  }

  /** Invites wallets and notifies them. An invited wallet may enter despite a lock and without waiting, even if it was removed before. */
  async invite(
    context: RequestContext,
    { roomId, addresses }: RequestOf<'conference.invite'>,
  ): Promise<void> {
    const { store, notifier, events } = this.#deps;
    const wallets = [...new Set(addresses)].filter((address) => address !== context.wallet);
    await mustHost(store, store.executor, await store.room(roomId), context);
    const guests = await this.invitees(context, wallets);
    const { result: admitted, appended } = await events.commit((append) =>
      store.inRoom(roomId, async (executor, room) => {
        await mustHost(store, executor, room, context);
        if (room.status === 'ended') throw over();
        const known = await store.membersOf(roomId, wallets, executor);
        const added = wallets.length - known.size;
        if (added > 0 && (await store.countMembers(executor, roomId)) + added > maxMembers)
          throw new ParleyError(
            'CONFLICT',
            `A room has at most ${maxMembers} members and invited wallets: create another room.`,
          );
        const written = await this.write(executor, context, roomId, guests);
        if (written.admitted.length > 0) await store.changeRoom(executor, roomId);
        await append(executor, written.invitations);
        return written.admitted;
      }),
    );
    for (const waiter of admitted) notifier.answered(waiter, 'admitted');
    await events.deliver(appended);
  }

  /**
   * Counts invitations against the limits.
   * @returns the wallets, and those of them who are not notified: they have blocked the inviter or have had too many invitations. The
   * inviter cannot tell.
   */
  async invitees(context: RequestContext, wallets: Address[]): Promise<Invitees> {
    const { limits, blockList } = this.#deps;
    await limits.inviting.consume(context, wallets.length);
    const unwanted = new Set<Address>();
    for (const to of wallets) {
      const isNotified =
        !(await blockList.has(to, context.wallet)) && (await limits.invited.admits({ from: context, to }));
      if (!isNotified) unwanted.add(to);
    }
    return { wallets, unwanted };
  }

  /**
   * Stores invitations. Call in a transaction that has locked the room, and append the events to it.
   * @param others wallets that get the event as well, but no push
   * @returns the events, and those who waited for admission
   */
  async write(
    executor: Executor,
    { wallet: from }: RequestContext,
    roomId: string,
    { wallets, unwanted }: Invitees,
    others: Address[] = [],
  ): Promise<{ invitations: NewEvent[]; admitted: MemberRow[] }> {
    const { store, pushes } = this.#deps;
    const admitted: MemberRow[] = [];
    const notified: Address[] = [];
    for (const wallet of wallets) {
      const before = await store.member(roomId, wallet, executor);
      const standing = before && before.standing !== 'removed' ? before.standing : 'away';
      await store.putMembers(executor, roomId, new Map([[wallet, { standing, isInvited: true }]]));
      if (before?.standing === 'waiting') admitted.push(before);
      else if (!unwanted.has(wallet)) notified.push(wallet);
    }
    const payload: Invitation = { roomId, from };
    const offer = { kind: 'conferenceInvite', subject: roomId, from } as const;
    await pushes.offer(executor, ...notified.map((wallet) => ({ wallet, ...offer })));
    const invitations = [...notified, ...others].map(
      (wallet) => ({ wallet, event: 'conference:invited', payload }) as const,
    );
    return { invitations, admitted };
  }

  /**
   * Builds invitation events from the current state of the rooms. An invited wallet may see the participants, unless it was removed since.
   * For a gated room, an invitation is not enough.
   * @returns one event per invitation; null if the room has ended, or if the wallet has blocked the inviter since
   */
  async #describe(wallet: Address, stored: Invitation[]): Promise<(EventOf<'conference:invited'> | null)[]> {
    const { store, blockList, publicUrl } = this.#deps;
    const blocked = new Set<Address>();
    for (const from of new Set(stored.map((invitation) => invitation.from)))
      if (await blockList.has(wallet, from)) blocked.add(from);
    const roomIds = [...new Set(stored.map(({ roomId }) => roomId))];
    const [known, own] = [await store.roomsById(roomIds), await store.membershipsOf(wallet, roomIds)];
    const open = [...known.values()].filter(({ status }) => status !== 'ended');
    const shown = open.filter((room) => mayKnow(room, wallet, own.get(room.id) ?? null));
    const present = await store.presentIn(shown.map(({ id }) => id));
    return stored.map(({ roomId, from }) => {
      const row = open.find(({ id }) => id === roomId);
      const inside = present.filter((member) => member.roomId === roomId);
      return row && !blocked.has(from) ? { room: toRoom(row, inside, publicUrl), from } : null;
    });
  }
}
