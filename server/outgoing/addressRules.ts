import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isAllowedAddress, normalAddress, type AddressRules } from './isAllowedAddress.ts';

/** Names of local networks (RFC 6762, RFC 8375, and the name that ICANN reserves for private use, which clouds give their machines). */
const localNames = /\.(local|internal|home\.arpa)$/;

/** The host of a URL, without the brackets of an IPv6 address and without the dot at the end of a name. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const isLocalhost = (host: string) => /(^|\.)localhost$/.test(host);

/** Checks a URL without DNS. The addresses of its name are checked whenever a connection is made. */
export function mayBePublic(url: URL, rules: AddressRules): boolean {
  const host = hostOf(url);
  if (url.protocol !== 'https:' && !rules.allowLoopback) return false;
  if (isIP(host)) return isAllowedAddress(host, rules);
  if (isLocalhost(host)) return rules.allowLoopback;
  return host.includes('.') && !localNames.test(host) && !rules.own.has(host);
}

/**
 * The names and addresses of this server: the host of PUBLIC_URL, the announced media addresses, and the addresses of this machine's
 * interfaces. PUBLIC_URL is not resolved, because behind a CDN its name leads to an address that many sites share.
 */
export function ownAddresses(publicUrl: string, announced: string[]): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const all = [hostOf(new URL(publicUrl)), ...announced, ...interfaces.map(({ address }) => address)];
  return new Set(all.map((host) => normalAddress(host) ?? host.toLowerCase()));
}
