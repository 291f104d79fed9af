/*
 * What others see instead of the wallet of an erased account. The SDK uses this file too, so it must not import zod.
 */

/** How it begins. The rest is random, so that the erased people of a conversation or group differ. No wallet has such an address. */
export const deletedPrefix = '0x00000000de1e7ed0';

/**
 * Whether a wallet stands for somebody whose account was deleted. Never throws.
 * @param wallet a wallet, as the server names it
 * @returns true if the account was deleted
 */
export const isDeletedWallet = (wallet: string): boolean => wallet.toLowerCase().startsWith(deletedPrefix);

/** @param random 24 hexadecimal digits */
export const deletedWallet = (random: string): `0x${string}` => `${deletedPrefix}${random}`;
