/* The SDK's bundle contains this file, so it must not import zod. */
import { caip10, type Address } from './address.ts';

/** The identity of a guest in a room or stream: `guest:` and the identity in the participant token. */
export type GuestId = `guest:${string}`;
/** The host of the rooms and streams that an account without a wallet has created: `account:` and its id. */
export type AccountHost = `account:${string}`;
/** The identity of a party in rooms and streams: a wallet, a guest, or the account that is the host. */
export type PartyId = Address | GuestId | AccountHost;

export const toGuestId = (identity: string): GuestId => `guest:${identity}`;

/**
 * Whether a party is a guest, who joined with a participant token. Never throws.
 * @param party the identity of the party, such as `participant.walletAddress`
 * @returns false for a wallet and for an account
 */
export const isGuest = (party: string): party is GuestId => party.startsWith('guest:');

/** The field that marks a guest in what others see of it. */
export const guestMark = (party: string | null): { isGuest?: true } =>
  party !== null && isGuest(party) ? { isGuest: true } : {};

/** The wallet of a party; null for a guest or an account without a wallet. */
export const walletOf = (party: PartyId): Address | null =>
  party.startsWith('0x') || caip10.test(party) ? (party as Address) : null;

/** The identity as a backend knows it: that in the participant token of a guest, otherwise the party's. */
export const identityOf = (party: PartyId): string => (isGuest(party) ? party.slice('guest:'.length) : party);

/** The maximum length of the metadata of a guest in bytes. */
export const longestMetadata = 4_096;
/** The maximum size of the data of one message to a room in bytes. */
export const longestData = 16 * 1_024;
