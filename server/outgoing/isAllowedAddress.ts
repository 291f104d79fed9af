import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Azure's host, which answers its machines alone and yet has a public address. */
const alsoRefused = new Set(['168.63.129.16']);
/** All that is routed on the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether strangers may name it: public addresses alone, and none of this server's own. What is not known to be public is refused, so private, loopback,
 * link-local (cloud metadata), unique-local, carrier-grade NAT, multicast, documentation, NAT64, 6to4 and Teredo are.
 */
export function isAllowedAddress(text: string, { allowLoopback, own }: AddressRules): boolean {
  const address = parse(text);
  if (!address) return false;
  if (address.range() === 'loopback') return allowLoopback;
  if (address.range() !== 'unicast' || alsoRefused.has(address.toString())) return false;
  if (own.has(address.toString())) return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast);
}

/** An address in the one form in which addresses are compared; null where it is none. */
export const normalAddress = (text: string) => parse(text)?.toString() ?? null;

/** IPv4-compatible addresses are no use since 2006, but the library reads them as mapped ones. */
const isCompatible = (text: string) => /^::\d+\./.test(text);

/** An IPv4 address in an IPv6 one (::ffff:127.0.0.1) is that IPv4 address. What only looks like an address (127.1) is none. */
function parse(text: string): Address | null {
  return isIP(text) === 0 || isCompatible(text) ? null : ipaddr.process(text);
}
/** Which addresses named by strangers this server connects to. */

export interface AddressRules {
  /** This machine, and http. For development and tests. */
  allowLoopback: boolean;
  /** Names and addresses of this server itself, which nobody may point it at. */
  own: ReadonlySet<string>;
}
