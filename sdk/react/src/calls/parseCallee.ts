import { normalAddress, type Address } from '@parley/sdk';
import { callee } from '../words/callee.ts';

export type Callee = { address: Address; problem?: undefined } | { address?: undefined; problem: string };

/** The path of a wallet's call link. */
export const callPath = (address: string) => `/call/${address}`;

/**
 * Reads what the user typed or pasted: an address in any case, the id of a contract wallet, or a call link.
 * @param own the page's origin and the signed-in wallet, which cannot call itself
 * @param words explain what is wrong. @default the English ones
 */
export function parseCallee(
  text: string,
  own: { origin: string; address: string | null },
  words: typeof callee = callee,
): Callee {
  const trimmed = text.trim();
  if (trimmed === '') return { problem: words.empty };
  const link = linkOf(trimmed, own.origin);
  if (link?.foreign) return { problem: words.foreign(link.foreign) };
  const candidate = link ? link.address : trimmed;
  const [, chain = '', digits] = /^(eip155:[1-9]\d{0,14}:)?0x(.*)$/is.exec(candidate) ?? [];
  if (digits === undefined) return { problem: words.noAddress };
  if (digits.length !== 40) return { problem: words.length(digits.length) };
  const address = normalAddress(`${chain}0x${digits}`);
  if (!address) return { problem: words.typo };
  if (address === own.address) return { problem: words.own };
  return { address };
}

function linkOf(text: string, origin: string): { address: string; foreign: string | null } | null {
  const match = /^(?:(?<origin>https?:\/\/[^/\s]+))?\/call\/(?<address>[^/?#\s]+)\/?(?:[?#].*)?$/i.exec(text);
  if (!match?.groups?.['address']) return null;
  const from = match.groups['origin'];
  return {
    address: decoded(match.groups['address']),
    foreign: from && !isSame(from, origin) ? new URL(from).host : null,
  };
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether two URLs have the same host. All names of the loopback address count as one host. */
function isSame(one: string, other: string): boolean {
  if (!URL.canParse(one)) return false;
  const [a, b] = [new URL(one), new URL(other)];
  if (a.host === b.host) return true;
  return loopback.has(a.hostname) && loopback.has(b.hostname) && a.port === b.port;
}

/** Decodes colons, because some programs encode the colons of a contract wallet's id when it is part of a link. */
const decoded = (part: string) => part.replace(/%3a/gi, ':');
