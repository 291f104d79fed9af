import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** Addresses that are refused even though they are public. This one is Azure's host service, which only Azure's machines can reach. */
const alsoRefused = new Set(['168.63.129.16']);
/** The IPv6 addresses that are routed on the internet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether the server may connect to an address that a user has given. Only public addresses that do not belong to this server are allowed.
 * All others are refused: private, loopback, link-local (cloud metadata), unique-local, carrier-grade NAT, multicast, documentation, NAT64,
 * 6to4 and Teredo addresses.
 */
export function isAllowedAddress(text: string, { allowLoopback, own }: AddressRules): boolean {
  const address = parse(text);
  if (!address) return false;
  if (address.range() === 'loopback') return allowLoopback;
  if (address.range() !== 'unicast' || alsoRefused.has(address.toString())) return false;
  if (own.has(address.toString())) return false;
  return !(address instanceof ipaddr.IPv6) || address.match(globalUnicast);
}

/** An address in normal form, for comparison; null for invalid text. */
export const normalAddress = (text: string) => parse(text)?.toString() ?? null;

/** IPv4-compatible addresses have been deprecated since 2006, but the library reads them as mapped ones. */
const isCompatible = (text: string) => /^::\d+\./.test(text);

/**
 * Parses an address; null if it is invalid. A mapped address (::ffff:127.0.0.1) becomes its IPv4 address. Short forms (127.1) are invalid.
 */
function parse(text: string): Address | null {
  return isIP(text) === 0 || isCompatible(text) ? null : ipaddr.process(text);
}
/** Rules for connections to addresses that users have given. */
export interface AddressRules {
  /** Allows loopback addresses and http, for development and tests. */
  allowLoopback: boolean;
  /** Names and addresses of this server, which are refused. */
  own: ReadonlySet<string>;
}
