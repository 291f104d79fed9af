import { getAddress, isAddress } from 'viem/utils';
import { caip10, contractWallet, type Address, type EvmAddress } from './address.ts';

/** @returns the identity in its one spelling; null for text that names no wallet */
export function normalAddress(text: string): Address | null {
  const { chainId, address } = caip10.exec(text)?.groups ?? {};
  if (!chainId || !address) return normalEvmAddress(text);
  const normal = normalEvmAddress(`0x${address.slice(2)}`);
  return normal && contractWallet(Number(chainId), normal);
}

/** @returns the address with its checksum; null for text that is no address, or has a wrong checksum in mixed case */
export function normalEvmAddress(text: string): EvmAddress | null {
  const digits = text.slice(2);
  const isMixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  return isAddress(text, { strict: isMixedCase }) ? getAddress(text) : null;
}
