/* The SDK's bundle contains this file, so it must not import zod. */
import type { Address } from './address.ts';

/** The id of a group of wallets that write to each other. */
export type GroupId = `grp_${string}`;

/** Who gets a message: another wallet, or all members of a group. */
export type Recipient = Address | GroupId;

/** The maximum number of members of a group, with those who are invited. */
export const maxGroupMembers = 100;

/**
 * Whether messages go to a group. Never throws.
 * @param recipient such as `message.to` or `conversation.with`
 * @returns false for a wallet
 */
export const isGroup = (recipient: string): recipient is GroupId => recipient.startsWith('grp_');
