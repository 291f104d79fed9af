import { getAddress, isAddress } from 'viem/utils';
import type { Address } from '../protocol/common.ts';
import { ParleyError } from '../protocol/errors.ts';

/** With its checksum. @throws ParleyError INVALID_ADDRESS, also for a wrong checksum in mixed case */
export function toAddress(text: string): Address {
  // JavaScript callers may pass anything.
  if (typeof (text as unknown) !== 'string')
    throw new ParleyError('INVALID_ADDRESS', 'The wallet address is missing: 0x and 40 hexadecimal digits.');
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isAddress(text, { strict: isMixed })) return getAddress(text);
  throw new ParleyError('INVALID_ADDRESS', `${text} is not a wallet address: 0x and 40 hexadecimal digits.`);
}
