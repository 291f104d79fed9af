import { z } from 'zod';
import { id, isoDate, nothing, walletAddress } from './common.ts';
import { maxGroupMembers, type GroupId } from './group.ts';
import { personName } from './people.ts';

const groupId = id('grp') as unknown as z.ZodType<GroupId, string>;

const role = z.enum(['admin', 'member']);
/** What a member may do in a group. An admin may also rename it, remove members and make others admins. */
export type GroupRole = z.infer<typeof role>;

const standing = z.enum(['invited', 'member', 'left', 'removed']);
/** The relation of a wallet to a group. */
export type GroupStanding = z.infer<typeof standing>;

/** A group as one of its wallets sees it. */
export const groupSummary = z.object({
  id: groupId,
  /** For a wallet that has left or was removed: the name that the group had then. */
  name: z.string(),
  /** This wallet's own. Only a member gets and sends messages. */
  standing,
  /** This wallet's own. */
  role,
  /** The wallet that has added or invited this wallet; null for the wallet that created the group. */
  invitedBy: walletAddress.nullable(),
  /** The number of members, without those who are only invited. 0 for a wallet that has left or was removed. */
  memberCount: z.int().nonnegative(),
});
export type WireGroupSummary = z.infer<typeof groupSummary>;

const groupMember = z.object({ walletAddress, role, standing: standing.extract(['invited', 'member']) });
export type WireGroupMember = z.infer<typeof groupMember>;

const group = groupSummary.extend({
  createdAt: isoDate,
  /** Members first, in the order in which they entered, then invited wallets. Empty for a wallet that has left or was removed. */
  members: z.array(groupMember),
});
export type WireGroup = z.infer<typeof group>;

const oneGroup = z.strictObject({ groupId });
const oneMember = oneGroup.extend({ walletAddress });
const wallets = z.array(walletAddress).max(maxGroupMembers - 1);

export const groupRequests = {
  /** The client chooses the id. A repeated request with the same id returns the group. */
  'groups.create': {
    request: z.strictObject({ groupId, name: personName, members: wallets }),
    response: group,
  },
  'groups.get': { request: oneGroup, response: group },
  'groups.rename': { request: oneGroup.extend({ name: personName }), response: nothing },
  /** Wallets to which this wallet is no contact are invited, and so are those that have left the group. The others become members. */
  'groups.add': { request: oneGroup.extend({ members: wallets.min(1) }), response: nothing },
  /** Removes a member, or takes an invitation back. */
  'groups.remove': { request: oneMember, response: nothing },
  'groups.setRole': { request: oneMember.extend({ role }), response: nothing },
  /** Accepts an invitation. */
  'groups.join': { request: oneGroup, response: nothing },
  /** Leaves the group, or declines an invitation. */
  'groups.leave': { request: oneGroup, response: nothing },
} as const;

export const groupEvents = {
  /** To all members after a change, and to a wallet that is invited, has left or was removed: the group as it is now. */
  'group:updated': groupSummary,
} as const;
