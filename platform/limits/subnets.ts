import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * A network of a client, as rate limits count it. Limits count networks as well as wallets, because creating wallets costs nothing, but
 * getting addresses in other networks does.
 */
export interface Subnet {
  /** An IPv4 address, or an IPv6 prefix of 64, 56 or 48 bits. */
  key: string;
  /** Its limit, as a multiple of the limit of a client's narrowest network. */
  times: number;
}

/** The IPv6 prefixes that are counted. One customer has a /64, often a /56 and sometimes a /48. Phones of one provider share a /48. */
const prefixes = [
  { bits: 64, times: 1 },
  { bits: 56, times: 4 },
  { bits: 48, times: 16 },
] as const;

/** Some proxies (Azure’s, IIS) add the port to the client's address in X-Forwarded-For. It is different for each connection. */
const withPort = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/** The networks of an address, narrowest first. */
export function subnetsOf(ip: string): [Subnet, ...Subnet[]] {
  const [, ipv6, ipv4] = withPort.exec(ip) ?? [];
  const [text = ''] = (ipv6 ?? ipv4 ?? ip).split('%');
  const address = isIP(text) === 0 ? null : ipaddr.process(text);
  if (!(address instanceof ipaddr.IPv6)) return [{ key: address?.toString() ?? ip, times: 1 }];
  const [narrowest, ...wider] = prefixes.map(({ bits, times }) => ({ key: prefixOf(address, bits), times }));
  return [narrowest as Subnet, ...wider];
}

/** The narrowest network of an address. */
export const networkOf = (ip: string): string => subnetsOf(ip)[0].key;

/** The client's address for a request or WebSocket upgrade. Express's request prototype determines it even behind trusted proxies. */
export function addressOf(request: IncomingMessage): string {
  return (request as IncomingMessage & { ip?: string }).ip ?? request.socket.remoteAddress ?? '';
}

function prefixOf(address: ipaddr.IPv6, bits: number): string {
  const mask = ipaddr.IPv6.subnetMaskFromPrefixLength(bits).parts;
  const kept = address.parts.slice(0, 4).map((part, index) => part & (mask[index] ?? 0));
  return `${kept.map((part) => part.toString(16)).join(':')}::/${bits}`;
}
