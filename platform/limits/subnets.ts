import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

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

/** The networks of an address, narrowest first. */
export function subnetsOf(ip: string): [Subnet, ...Subnet[]] {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip) ?? [];
  if (mapped) return [{ key: mapped, times: 1 }];
  const [address = ''] = ip.split('%');
  if (!isIPv6(address)) return [{ key: ip, times: 1 }];
  const groups = groupsOf(address);
  const [narrowest, ...wider] = prefixes.map(({ bits, times }) => ({ key: prefixOf(groups, bits), times }));
  return [narrowest as Subnet, ...wider];
}

/** The narrowest network of an address. */
export const networkOf = (ip: string): string => subnetsOf(ip)[0].key;

/** The client's address for a request or WebSocket upgrade. Express's request prototype determines it even behind trusted proxies. */
export function addressOf(request: IncomingMessage): string {
  return (request as IncomingMessage & { ip?: string }).ip ?? request.socket.remoteAddress ?? '';
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after];
  return groups.map((group) => parseInt(group, 16));
}

function prefixOf(groups: number[], bits: number): string {
  const kept = groups.slice(0, 4).map((group, index) => {
    const keptBits = Math.max(0, Math.min(16, bits - 16 * index));
    return group & (0xffff << (16 - keptBits)) & 0xffff;
  });
  return `${kept.map((group) => group.toString(16)).join(':')}::/${bits}`;
}
