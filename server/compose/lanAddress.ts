import { networkInterfaces } from 'node:os';

/** The address at which other machines on the local network reach this one; null without a network. */
export function lanAddress(family: 'IPv4' | 'IPv6' = 'IPv4'): string | null {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  // Addresses with a scope are valid on one link only, which others do not know by the same name.
  const isReached = (own: (typeof addresses)[number]) =>
    own.family === family && !own.internal && !('scopeid' in own && own.scopeid);
  return addresses.find(isReached)?.address ?? null;
}
