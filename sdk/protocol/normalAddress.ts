import { caip10, contractWallet, type Address, type EvmAddress } from './address.ts';
import { checksummed, isEvmAddress } from './checksum.ts';

/**
 * Reads a wallet's identity that a user has typed or pasted. Never throws.
 * @param text an address in any case, or `eip155:<chain id>:<address>`
 * @returns the identity in its normal form, with the EIP-55 checksum; null if the text is not a wallet address
 */
export function normalAddress(text: string): Address | null {
  const { chainId, address } = caip10.exec(text)?.groups ?? {};
  if (!chainId || !address) return normalEvmAddress(text);
  const normal = normalEvmAddress(`0x${address.slice(2)}`);
  return normal && contractWallet(Number(chainId), normal);
}

/** @returns the address with its checksum; null if the text is not an address, or is in mixed case with a wrong checksum */
export function normalEvmAddress(text: string): EvmAddress | null {
  if (!isEvmAddress(text)) return null;
  const digits = text.slice(2);
  const isMixedCase = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  const normal = checksummed(text);
  return isMixedCase && normal !== text ? null : normal;
}
