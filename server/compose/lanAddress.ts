import { networkInterfaces } from 'node:os';

/** The IPv4 address at which other machines on the local network reach this one; null without a network. */
export function lanAddress(): string | null {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null;
}
