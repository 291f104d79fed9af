/* This file has no dependencies besides deleted.ts, because the service worker uses it too. */

import { isDeletedWallet } from './deleted.ts';

/** An address on an EVM chain. */
export type EvmAddress = `0x${string}`;

/**
 * The identity of a wallet in calls, messages and everything it owns. An ordinary wallet has the same owner on every chain, so its
 * EIP-55 address is enough. The address of a contract wallet may belong to different people on different chains, so a contract wallet
 * is named by chain and address: its CAIP-10 id, `eip155:<chain id>:<EIP-55 address>`.
 */
export type Address = EvmAddress | `eip155:${number}:${EvmAddress}`;

export const caip10 = /^eip155:(?<chainId>[1-9]\d{0,14}):(?<address>0x[0-9a-f]{40})$/i;

/** The identity of a contract wallet. */
export const contractWallet = (chainId: number, address: EvmAddress): Address =>
  `eip155:${chainId}:${address}`;

/**
 * Splits a wallet's identity into its address and chain. Never throws.
 * @param wallet the identity: an address, or `eip155:<chain id>:<address>`
 * @returns the address and the chain id. `chainId` is null for an ordinary wallet, which is valid on every chain
 * @example const { address, chainId } = onChain(call.from);
 */
export function onChain(wallet: Address): { address: EvmAddress; chainId: number | null } {
  const { chainId, address } = caip10.exec(wallet)?.groups ?? {};
  return chainId && address
    ? { address: address as EvmAddress, chainId: Number(chainId) }
    : { address: wallet as EvmAddress, chainId: null };
}

/**
 * Shortens an address for display: `0x1234…abcd`, or `0x1234…abcd (chain 137)` for a contract wallet, because the same address may
 * belong to a different wallet on another chain. For the wallet of a deleted account: `Deleted account`. Never throws.
 * @param wallet the identity of the wallet
 * @returns the short text
 */
export function shortAddress(wallet: string): string {
  if (isDeletedWallet(wallet)) return 'Deleted account';
  const { address, chainId } = onChain(wallet as Address);
  const short = `${address.slice(0, 6)}…${address.slice(-4)}`;
  return chainId === null ? short : `${short} (chain ${chainId})`;
}
