import { keccak_256 } from '@noble/hashes/sha3.js';
import type { EvmAddress } from './address.ts';

/** Whether a text is 0x and 40 hexadecimal digits, with any checksum. */
export const isEvmAddress = (text: string): text is EvmAddress => /^0x[0-9a-f]{40}$/i.test(text);

/** The maximum number of results that are kept. The hash costs more than all other checks of a message together. */
const maxKept = 10_000;
/** The latest results by the digits in lower case. */
const kept = new Map<string, EvmAddress>();

/** The address with its EIP-55 checksum. */
export function checksummed(address: EvmAddress): EvmAddress {
  const digits = address.slice(2).toLowerCase();
  const known = kept.get(digits);
  if (known) return known;
  const found = hashed(digits);
  if (kept.size >= maxKept) kept.clear();
  kept.set(digits, found);
  return found;
}

/** EIP-55: a digit is in upper case if that of the hash is 8 or more. */
function hashed(digits: string): EvmAddress {
  const hash = keccak_256(Uint8Array.from(digits, (digit) => digit.charCodeAt(0)));
  const isUpper = (at: number) => ((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 8;
  return `0x${[...digits].map((digit, at) => (isUpper(at) ? digit.toUpperCase() : digit)).join('')}`;
}
