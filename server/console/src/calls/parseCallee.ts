import { getAddress, isAddress } from 'viem/utils';

export type Callee =
  { address: `0x${string}`; problem?: undefined } | { address?: undefined; problem: string };

/** Path of the link that calls a wallet. */
export const callPath = (address: string) => `/call/${address}`;

/**
 * Reads what somebody typed or pasted: an address in any case, or a call link.
 * @param own the page's origin and the wallet signed in, which can't call itself
 */
export function parseCallee(text: string, own: { origin: string; address: string | null }): Callee {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: 'Paste a wallet address or a call link first.' };
  const link = linkOf(trimmed, own.origin);
  if (link?.foreign) return { problem: `This link belongs to ${link.foreign}: open it there.` };
  const candidate = link ? link.address : trimmed;
  if (!/^0x/i.test(candidate)) return { problem: 'A wallet address begins with 0x.' };
  if (candidate.length !== 42) {
    return { problem: `An address is 0x and 40 digits; this one has ${candidate.length - 2}.` };
  }
  const address = `0x${candidate.slice(2)}`;
  // Only mixed case carries a checksum.
  if (!isAddress(address, { strict: isMixedCase(candidate.slice(2)) })) {
    return { problem: 'There is a typing error in this address: copy it again.' };
  }
  const checked = getAddress(address);
  if (checked === own.address) {
    return { problem: 'This is your own address: open the link in a second window and call from there.' };
  }
  return { address: checked };
}

function linkOf(text: string, origin: string): { address: string; foreign: string | null } | null {
  const match = /^(?:(?<origin>https?:\/\/[^/\s]+))?\/call\/(?<address>[^/?#\s]+)\/?(?:[?#].*)?$/i.exec(text);
  if (!match?.groups?.['address']) return null;
  const from = match.groups['origin'];
  return {
    address: match.groups['address'],
    foreign: from && !isSame(from, origin) ? new URL(from).host : null,
  };
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A machine has several names for itself. */
function isSame(one: string, other: string): boolean {
  if (!URL.canParse(one)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  if (a.host === b.host) return true;
  return loopback.has(a.hostname) && loopback.has(b.hostname) && a.port === b.port;
}

function isMixedCase(digits: string): boolean {
  return digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
}
