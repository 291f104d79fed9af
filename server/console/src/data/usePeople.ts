import { normalAddress, type Person } from '@parley/sdk';
import { useQueries } from '@tanstack/react-query';
import { useContext } from 'react';
import { SignedInContext } from '../session/ParleyClient.tsx';

/**
 * What this wallet knows of other parties, by their address. Those that are missing are not known yet, or are not wallets. The SDK reads all
 * of them with one request.
 */
export function usePeople(addresses: string[]): Map<string, Person> {
  const signedIn = useContext(SignedInContext);
  // Visitors and accounts without a wallet know nobody.
  const wallets = signedIn?.address ? addresses.filter((address) => normalAddress(address) !== null) : [];
  const results = useQueries({
    queries: signedIn ? wallets.map((wallet) => signedIn.queries.person(wallet)) : [],
  });
  return new Map(
    results.flatMap(({ data }, index) => (data ? [[wallets[index] as string, data] as const] : [])),
  );
}

/** What this wallet knows of a party; null if it is not known yet, or is not a wallet. */
export const usePerson = (address: string | null): Person | null =>
  usePeople(address === null ? [] : [address]).get(address ?? '') ?? null;
