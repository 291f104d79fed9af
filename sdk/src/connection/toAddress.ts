import type { Address } from '../../protocol/address.ts';
import { ParleyError } from '../../protocol/errors.ts';
import { isGroup, type Recipient } from '../../protocol/group.ts';
import { normalAddress } from '../../protocol/normalAddress.ts';

/** Normalises a wallet's identity. @throws ParleyError INVALID_ADDRESS, even for an address whose only error is its checksum */
export function toAddress(text: string): Address {
  // Callers in JavaScript may pass anything.
  if (typeof (text as unknown) !== 'string')
    throw new ParleyError('INVALID_ADDRESS', 'The wallet address is missing: 0x and 40 hexadecimal digits.');
  const address = normalAddress(text);
  if (address) return address;
  throw new ParleyError(
    'INVALID_ADDRESS',
    `${text} is not a wallet address: 0x and 40 hexadecimal digits, or eip155:<chain>:<address> for a contract wallet.`,
  );
}

/** Normalises who gets a message: a wallet's identity, or the id of a group. @throws ParleyError INVALID_ADDRESS as toAddress() */
export const toRecipient = (text: string): Recipient =>
  typeof (text as unknown) === 'string' && isGroup(text) ? text : toAddress(text);
