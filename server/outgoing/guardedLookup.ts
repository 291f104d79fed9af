import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isLocalhost } from './addressRules.ts';
import { type AddressRules, isAllowedAddress } from './isAllowedAddress.ts';

/** Resolves a name to addresses. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Thrown if the address is one that this server must not connect to. */
export class AddressNotAllowed extends Error {
  readonly code = 'address_not_allowed';

  constructor() {
    super('the address is not a public address');
  }
}

/**
 * Creates a `lookup` function for sockets that checks all addresses of a name. The socket connects only to the addresses that were checked,
 * so a name cannot change between check and use (DNS rebinding). If one address is not allowed, all are refused.
 */
export function guardedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  const checked = async (hostname: string): Promise<LookupAddress[]> => {
    const addresses = isLocalhost(hostname) ? ['127.0.0.1', '::1'] : await resolve(hostname);
    if (!addresses.every((address) => isAllowedAddress(address, rules))) throw new AddressNotAllowed();
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return (hostname, options, callback) => {
    checked(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/**
 * Resolves names with Node's own resolver. dns.lookup() would use the four threads that are also needed for files and hashes, and a slow
 * name server could block all of them.
 */
export function dnsResolve(servers?: string[]): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const [first] = answers;
    if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
    return addresses;
  };
}
