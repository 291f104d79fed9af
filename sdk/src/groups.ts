import type { Address } from '../protocol/address.ts';
import { newId } from '../protocol/ids.ts';
import type { Connection } from './connection/Connection.ts';
import type { EventStream } from './connection/EventStream.ts';
import { fromWire } from './connection/fromWire.ts';
import type { Listeners } from './connection/Listeners.ts';
import { toAddress } from './connection/toAddress.ts';
import { isWorthRepeating, retryTransient } from './connection/transient.ts';
import type { Notifications } from './notifications.ts';
import type { Group, GroupRole, ParleyEvents } from './types.ts';

/** A group to create. */
export interface NewGroup {
  /** 1 to 50 characters. */
  name: string;
  /** The addresses of up to 99 other wallets. @default none */
  members?: (Address | (string & {}))[];
}

/** How long creating a group is repeated while the server cannot be reached, in milliseconds. */
const createLimitMs = 30_000;

/**
 * Groups of up to 100 wallets that write to each other: `client.groups`. Their messages are in `client.messages`, which takes the id of a
 * group where it takes the address of a wallet.
 */
export class Groups {
  readonly #connection: Connection;

  constructor(
    connection: Connection,
    stream: EventStream,
    events: Listeners<ParleyEvents>,
    notifications: Notifications,
  ) {
    this.#connection = connection;
    stream.on('group:updated', (group) => {
      // A node of an older release passes only a reference on.
      if (!('id' in group)) return;
      events.emit('group:updated', group);
      if (group.standing === 'invited') notifications.seen('group', group.id).catch(() => undefined);
    });
  }

  /**
   * Creates a group. This wallet is its admin. A wallet to which this one is a contact (it has saved, called or written to this wallet) becomes
   * a member at once; the others are invited, and get the messages from when they join.
   * @param group the name of 1 to 50 characters, and the addresses of up to 99 other wallets
   * @returns the group
   * @throws ParleyError INVALID_ADDRESS: a member is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: the name is not valid, or there are more than 99 other members
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes or added wallets. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for 30 seconds
   * @example
   * const group = await client.groups.create({ name: 'Dinner', members: ['0x…', '0x…'] });
   * await client.messages.send({ to: group.id, content: 'Hello', type: 'text' });
   */
  async create({ name, members = [] }: NewGroup): Promise<Group> {
    const groupId = newId('grp');
    const request = { groupId, name, members: members.map(toAddress) };
    const until = Date.now() + createLimitMs;
    // With the same id, a repeated request creates no second group.
    const created = await retryTransient(
      () => this.#connection.request('groups.create', request),
      () => Date.now() < until,
      isWorthRepeating,
    );
    return fromWire(created);
  }

  /**
   * Reads a group and its members. `messages.getConversations()` lists the groups of this wallet.
   * @param groupId the id of the group
   * @returns the group. A wallet that has left or was removed does not see the members
   * @throws ParleyError NOT_FOUND: this wallet never was in such a group, and is not invited to it
   */
  async get(groupId: string): Promise<Group> {
    return fromWire(await this.#connection.request('groups.get', { groupId }));
  }

  /**
   * Renames a group. Only for admins.
   * @param groupId the id of the group
   * @param name 1 to 50 characters
   * @throws ParleyError NOT_FOUND: this wallet is in no such group
   * @throws ParleyError ACCESS_DENIED: this wallet is no admin of the group
   * @throws ParleyError VALIDATION_ERROR: the name is not valid
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes. Try again after `retryAfter` seconds
   */
  async rename(groupId: string, name: string): Promise<void> {
    await this.#connection.request('groups.rename', { groupId, name });
  }

  /**
   * Adds wallets to a group, as create() does. Wallets that have left the group are invited. Members are skipped.
   * @param groupId the id of the group
   * @param members the addresses of 1 to 99 wallets
   * @throws ParleyError INVALID_ADDRESS: one of them is not a wallet address
   * @throws ParleyError NOT_FOUND: this wallet is in no such group
   * @throws ParleyError ACCESS_DENIED: this wallet is not a member of the group
   * @throws ParleyError CONFLICT: the group would have more than 100 members and invited wallets
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes or added wallets. Try again after `retryAfter` seconds
   */
  async add(groupId: string, members: (Address | (string & {}))[]): Promise<void> {
    const request = { groupId, members: members.map(toAddress) };
    await this.#connection.request('groups.add', request);
  }

  /**
   * Removes a member from a group, or takes an invitation back. Only for admins. The wallet keeps the messages that it has got.
   * @param groupId the id of the group
   * @param member the address of the wallet
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError NOT_FOUND: this wallet is in no such group, or the other one is neither a member nor invited
   * @throws ParleyError ACCESS_DENIED: this wallet is no admin of the group
   * @throws ParleyError CONFLICT: the address is this wallet's own
   */
  async remove(groupId: string, member: Address | (string & {})): Promise<void> {
    const request = { groupId, walletAddress: toAddress(member) };
    await this.#connection.request('groups.remove', request);
  }

  /**
   * Makes a member an admin, or an admin an ordinary member. Only for admins.
   * @param groupId the id of the group
   * @param member the address of the member
   * @param role `admin` or `member`
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError NOT_FOUND: this wallet is in no such group, or the other one is not
   * @throws ParleyError ACCESS_DENIED: this wallet is no admin of the group
   * @throws ParleyError CONFLICT: the wallet has not joined yet, or the group would have no admin
   */
  async setRole(groupId: string, member: Address | (string & {}), role: GroupRole): Promise<void> {
    const request = { groupId, walletAddress: toAddress(member), role };
    await this.#connection.request('groups.setRole', request);
  }

  /**
   * Accepts an invitation. From now on, this wallet gets the group's messages. Does nothing for a member.
   * @param groupId the id of the group
   * @throws ParleyError NOT_FOUND: this wallet is not invited to such a group
   * @throws ParleyError ACCESS_DENIED: this wallet has left the group, has declined, or was removed
   */
  async join(groupId: string): Promise<void> {
    await this.#connection.request('groups.join', { groupId });
  }

  /**
   * Leaves a group, or declines an invitation. This wallet keeps the messages that it has got. If no admin is left, the member who entered
   * first becomes one.
   * @param groupId the id of the group
   * @throws ParleyError NOT_FOUND: this wallet is in no such group
   */
  async leave(groupId: string): Promise<void> {
    await this.#connection.request('groups.leave', { groupId });
  }
}
