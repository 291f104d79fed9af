import { normalAddress, type Person } from '@parley/sdk';
import { useCallback, useContext, useEffect, useSyncExternalStore } from 'react';
import { ServicesContext, useServices } from '../core/ParleyProvider.tsx';
import type { Services } from '../core/Services.ts';
import { useStore } from '../core/Store.ts';
import { partyName } from './partyName.ts';
import { PeopleController } from './PeopleController.ts';

const createPeople = (services: Services) => new PeopleController(services);

/**
 * Names and images of wallets, as far as they are told to this wallet.
 * @param addresses the wallets. Others, such as guests, are left out
 * @returns the persons that are known so far, by address as `normalAddress()` of the SDK returns it
 */
export function usePeople(addresses: readonly string[]): ReadonlyMap<string, Person> {
  const controller = useServices().get(createPeople);
  const key = [...new Set(addresses.flatMap((address) => normalAddress(address) ?? []))].join(' ');
  useEffect(() => (key === '' ? undefined : controller.show(key.split(' '))), [controller, key]);
  return useStore(controller.store);
}

/** The name and image of a wallet; null for guests, and until they are known. Outside of a provider, nothing is known. */
export function usePerson(party: string): Person | null {
  const controller = useContext(ServicesContext)?.get(createPeople);
  const wallet = normalAddress(party);
  useEffect(() => (wallet ? controller?.show([wallet]) : undefined), [controller, wallet]);
  const subscribe = useCallback(
    (onChange: () => void) => controller?.store.subscribe(onChange) ?? (() => undefined),
    [controller],
  );
  const get = () => (wallet && controller?.store.get().get(wallet)) ?? null;
  return useSyncExternalStore(subscribe, get, get);
}

/** The name of a party: the one that it or this wallet has given it, or its short address or identity. */
export const usePartyName = (party: string): string => usePerson(party)?.name ?? partyName(party);
