import { toIso, type Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { maxGroupMembers, type GroupId } from '../../sdk/protocol/group.ts';
import type { WireGroup } from '../../sdk/protocol/groups.ts';
import type { EventOf, RequestOf } from '../../sdk/protocol/wire.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Limit } from '../../platform/limits/Limits.ts';
import type { BlockList } from '../calls/BlockList.ts';
import type { Contacts } from '../Contacts.ts';
import type { EventLog, NewEvent } from '../events/EventLog.ts';
import type { Pushes } from '../notifications/Pushes.ts';
import type { RecipientLimit } from '../RecipientLimit.ts';
import type { RequestContext } from '../socket/RequestContext.ts';
import type { GroupStore, LockedGroup } from './GroupStore.ts';
import type { GroupMemberRow } from './tables.ts';

interface GroupDeps {
  store: GroupStore;
  events: EventLog;
  pushes: Pick<Pushes, 'offer'>;
  blockList: BlockList;
  contacts: Pick<Contacts, 'knows'>;
  limits: {
    /** Changes of groups per wallet. */
    changing: Limit;
    /** Wallets that a wallet may add. */
    adding: Limit;
    /** How often a wallet may be added. */
    added: Pick<RecipientLimit, 'admits'>;
  };
}

/** A wallet to add. */
interface Added {
  wallet: Address;
  /** Whether it has blocked the wallet that adds it. It then does not see the invitation. */
  isBlocking: boolean;
  /** Whether the wallet that adds it is its contact. Others are only invited. */
  isContact: boolean;
  /** Whether it learns of an invitation. It does not if it has blocked the wallet that adds it, or has been added too often. */
  isNotified: boolean;
}

/** The stored form of `group:updated`. The group is read when the event is delivered. */
interface Reference {
  groupId: GroupId;
}

/** The rules of groups: who may change what. Their messages are in MessageService. */
export class GroupService {
  readonly #deps: GroupDeps;

  constructor(deps: GroupDeps) {
    this.#deps = deps;
    deps.events.render('group:updated', (wallet, stored) => this.#render(wallet, stored as Reference[]));
  }

  /** A group that was created by the same wallet with the same id before is returned as it is. */
  async create(
    context: RequestContext,
    { groupId, name, members }: RequestOf<'groups.create'>,
  ): Promise<WireGroup> {
    const { store, limits, events } = this.#deps;
    const { wallet } = context;
    await limits.changing.consume(context);
    // A request that is repeated, because its answer was lost, adds nobody.
    const added = (await store.find(groupId)) ? [] : await this.#added(context, members);
    const { result: isNew, appended } = await events.commit((append) =>
      store.create({ id: groupId, name, creator: wallet }, async (tx, group) => {
        await store.put(tx, group, { wallet, role: 'admin', standing: 'member', invitedBy: null });
        await append(tx, await this.#add(tx, group, wallet, added));
        return true;
      }),
    );
    if (isNew) await events.deliver(appended);
    else if ((await store.find(groupId))?.creator !== wallet)
      throw new ParleyError('CONFLICT', 'groupId: another group has this id; create a new id.');
    return this.get(wallet, groupId);
  }

  /** @throws ParleyError NOT_FOUND */
  async get(wallet: Address, id: GroupId): Promise<WireGroup> {
    const { store } = this.#deps;
    const [group, summary] = [await store.find(id), (await store.summaries(wallet, [id])).get(id)];
    if (!group || !summary) throw notFound();
    const isInside = summary.standing === 'member' || summary.standing === 'invited';
    const rows = isInside ? await store.rows(id) : [];
    const those = (standing: 'member' | 'invited') =>
      rows
        .filter((row) => row.standing === standing)
        .map(({ wallet: walletAddress, role }) => ({ walletAddress, role, standing }));
    return {
      ...summary,
      createdAt: toIso(group.createdAt),
      members: [...those('member'), ...those('invited')],
    };
  }

  async rename(context: RequestContext, { groupId, name }: RequestOf<'groups.rename'>): Promise<void> {
    await this.#change(context, groupId, async (tx, group, own) => {
      mustBeAdmin(own);
      await this.#deps.store.rename(tx, group.id, name);
      return this.#announce(tx, group.id);
    });
  }

  async add(context: RequestContext, { groupId, members }: RequestOf<'groups.add'>): Promise<void> {
    await this.requireMember(context.wallet, groupId);
    const added = await this.#added(context, members);
    await this.#change(context, groupId, (tx, group, own) => {
      mustBeMember(own);
      return this.#add(tx, group, context.wallet, added);
    });
  }

  async remove(context: RequestContext, request: RequestOf<'groups.remove'>): Promise<void> {
    const { store, limits } = this.#deps;
    const { groupId, walletAddress: to } = request;
    const isInvited = (await store.member(groupId, to))?.standing === 'invited';
    // Otherwise, a client could invite a stranger and withdraw that repeatedly, and so send as many events as it likes.
    const isNotified = !isInvited || (await limits.added.admits({ from: context, to }));
    await this.#changeOther(context, request, async (tx, group, other) => {
      if (other.wallet === context.wallet)
        throw new ParleyError('CONFLICT', 'A wallet cannot remove itself: leave the group instead.');
      const seen = await store.member(group.id, other.wallet, tx);
      const standing = (await this.#isBack(tx, other)) ? 'left' : 'removed';
      if (seen) await store.put(tx, group, { ...other, role: 'member', standing });
      else await store.forget(tx, group.id, other.wallet);
      // A wallet that has blocked who invited it does not learn that the invitation is taken back.
      const isTold = isNotified && seen?.standing === other.standing;
      return this.#announce(tx, group.id, isTold ? [other.wallet] : []);
    });
  }

  async setRole(context: RequestContext, request: RequestOf<'groups.setRole'>): Promise<void> {
    const { store } = this.#deps;
    await this.#changeOther(context, request, async (tx, group, other) => {
      if (other.standing !== 'member')
        throw new ParleyError('CONFLICT', 'The wallet is only invited: wait until it has joined the group.');
      if (other.role === request.role) return [];
      await store.put(tx, group, { ...other, role: request.role });
      const admins = (await store.rows(group.id, tx)).filter(isAdmin);
      if (admins.length === 0)
        throw new ParleyError('CONFLICT', 'A group needs an admin: make another member an admin first.');
      return this.#announce(tx, group.id);
    });
  }

  /** Accepts an invitation. If the group has no admin, because only invited wallets were left in it, the member who entered first becomes one. */
  async join(context: RequestContext, groupId: GroupId): Promise<void> {
    await this.#change(context, groupId, async (tx, group, own) => {
      if (own.standing === 'member') return [];
      if (own.standing !== 'invited')
        throw new ParleyError('ACCESS_DENIED', 'You are not invited to this group: ask a member to add you.');
      await this.#deps.store.put(tx, group, { ...own, standing: 'member' });
      await this.#ensureAdmin(tx, group);
      return this.#announce(tx, group.id);
    });
  }

  /** Leaves the group, or declines an invitation. If no admin is left, the member who entered first becomes one. */
  async leave(context: RequestContext, groupId: GroupId): Promise<void> {
    const { store } = this.#deps;
    await this.#change(context, groupId, async (tx, group, own) => {
      if (own.standing === 'left' || own.standing === 'removed') return [];
      await store.put(tx, group, { ...own, role: 'member', standing: 'left' });
      await this.#ensureAdmin(tx, group);
      return this.#announce(tx, group.id, [own.wallet]);
    });
  }

  /** @throws ParleyError NOT_FOUND, or ACCESS_DENIED if the wallet is no member or no longer one */
  async requireMember(wallet: Address, id: GroupId): Promise<void> {
    const row = await this.#deps.store.member(id, wallet);
    if (!row) throw notFound();
    mustBeMember(row);
  }

  /** @throws ParleyError NOT_FOUND if the wallet neither is nor was in the group, and is not invited */
  async requireKnown(wallet: Address, id: GroupId): Promise<void> {
    if (!(await this.#deps.store.member(id, wallet))) throw notFound();
  }

  async #change(
    context: RequestContext,
    id: GroupId,
    run: (tx: Executor, group: LockedGroup, own: GroupMemberRow) => Promise<NewEvent[]>,
  ): Promise<void> {
    const { store, limits, events } = this.#deps;
    await limits.changing.consume(context);
    const { result: isKnown, appended } = await events.commit((append) =>
      store.change(id, async (tx, group) => {
        const own = await store.member(id, context.wallet, tx);
        if (!own) return false;
        await append(tx, await run(tx, group, own));
        return true;
      }),
    );
    if (!isKnown) throw notFound();
    await events.deliver(appended);
  }

  /** Makes the member who entered first an admin if the group has none. */
  async #ensureAdmin(tx: Executor, group: LockedGroup): Promise<void> {
    const { store } = this.#deps;
    const members = (await store.rows(group.id, tx)).filter(({ standing }) => standing === 'member');
    const [first] = members;
    if (first && !members.some(isAdmin)) await store.put(tx, group, { ...first, role: 'admin' });
  }

  /**
   * Whether a wallet is invited after it had left or declined: it was a member, or it knows who invited it, so that it would have become one at
   * once. It stays out until it joins.
   */
  async #isBack(
    tx: Executor,
    { groupId, wallet, standing, seen, invitedBy }: GroupMemberRow,
  ): Promise<boolean> {
    const { store, contacts } = this.#deps;
    // A wallet that has blocked the inviter is only invited anyway.
    if (standing !== 'invited' || !(await store.member(groupId, wallet, tx))) return false;
    return seen !== '{}' || (invitedBy !== null && (await contacts.knows(wallet, invitedBy, tx)));
  }

  /** Changes another member, or an invited wallet, as an admin. */
  #changeOther(
    context: RequestContext,
    { groupId, walletAddress }: { groupId: GroupId; walletAddress: Address },
    run: (tx: Executor, group: LockedGroup, other: GroupMemberRow) => Promise<NewEvent[]>,
  ): Promise<void> {
    return this.#change(context, groupId, async (tx, group, own) => {
      mustBeAdmin(own);
      const rows = await this.#deps.store.rows(groupId, tx);
      const other = rows.find(({ wallet }) => wallet === walletAddress);
      if (other?.standing !== 'member' && other?.standing !== 'invited')
        throw new ParleyError('NOT_FOUND', 'walletAddress: the group has no such member.');
      return run(tx, group, other);
    });
  }

  /** Counts wallets to add against the limits, and decides how each is added. */
  async #added(context: RequestContext, given: Address[]): Promise<Added[]> {
    const { limits, blockList, contacts } = this.#deps;
    const wallets = [...new Set(given)].filter((wallet) => wallet !== context.wallet);
    if (wallets.length === 0) return [];
    await limits.adding.consume(context, wallets.length);
    const added: Added[] = [];
    for (const wallet of wallets) {
      const isBlocking = await blockList.has(wallet, context.wallet);
      const isContact = !isBlocking && (await contacts.knows(wallet, context.wallet));
      const isNotified = !isBlocking && (await limits.added.admits({ from: context, to: wallet }));
      added.push({ wallet, isBlocking, isContact, isNotified });
    }
    return added;
  }

  /** Stores new members and invitations. Nothing changes for members. */
  async #add(tx: Executor, group: LockedGroup, by: Address, added: Added[]): Promise<NewEvent[]> {
    const { store, pushes } = this.#deps;
    const rows = await store.rows(group.id, tx);
    const before = new Map(rows.map((row) => [row.wallet, row]));
    const inside = rows.filter(({ standing }) => standing === 'member' || standing === 'invited').length;
    const wanted = added.filter(({ wallet }) => before.get(wallet)?.standing !== 'member');
    if (added.length > 0 && wanted.length === 0) return [];
    const isNew = ({ wallet }: Added) => before.get(wallet)?.standing !== 'invited';
    if (inside + wanted.filter(isNew).length > maxGroupMembers)
      throw new ParleyError(
        'CONFLICT',
        `A group has at most ${maxGroupMembers} members and invited wallets: add fewer.`,
      );
    for (const { wallet, isBlocking, isContact } of wanted) {
      const row = before.get(wallet);
      // The invitation stays that of the earlier inviter, so that the wallet still sees it.
      if (isBlocking && row?.standing === 'invited') continue;
      const isOut = row && (row.standing === 'left' || (isContact && (await this.#isBack(tx, row))));
      const standing = isContact && !isOut ? 'member' : 'invited';
      await store.put(tx, group, { wallet, role: 'member', standing, invitedBy: by });
    }
    const offer = { kind: 'group', subject: group.id, from: by } as const;
    const notified = wanted.filter((each) => each.isNotified && isNew(each));
    await pushes.offer(tx, ...notified.map(({ wallet }) => ({ wallet, ...offer })));
    const told = wanted.filter(({ isNotified }) => isNotified).map(({ wallet }) => wallet);
    return this.#announce(tx, group.id, told);
  }

  /**
   * The events of a change, for the members. Call after it, in its transaction. Invited wallets get none, unless it is about their invitation:
   * otherwise, who invites strangers could send them as many events as it likes.
   * @param others wallets that get the event as well
   */
  async #announce(tx: Executor, groupId: GroupId, others: Address[] = []): Promise<NewEvent[]> {
    const audience = new Set([...(await this.#deps.store.wallets(groupId, tx)), ...others]);
    const payload: Reference = { groupId };
    return [...audience].map((wallet) => ({ wallet, event: 'group:updated', payload }));
  }

  async #render(wallet: Address, stored: Reference[]): Promise<(EventOf<'group:updated'> | null)[]> {
    const ids = [...new Set(stored.map(({ groupId }) => groupId))];
    const summaries = await this.#deps.store.summaries(wallet, ids);
    return stored.map(({ groupId }) => summaries.get(groupId) ?? null);
  }
}

const isAdmin = ({ standing, role }: GroupMemberRow) => standing === 'member' && role === 'admin';

const notFound = () => new ParleyError('NOT_FOUND', 'You are in no such group, and not invited to it.');

function mustBeMember({ standing }: GroupMemberRow): void {
  if (standing === 'member') return;
  const todo = standing === 'invited' ? 'join it first' : 'ask a member to add you again';
  throw new ParleyError('ACCESS_DENIED', `You are not a member of this group: ${todo}.`);
}

function mustBeAdmin(own: GroupMemberRow): void {
  mustBeMember(own);
  if (own.role !== 'admin')
    throw new ParleyError('ACCESS_DENIED', 'Only admins of the group may do this: ask one of them.');
}
