import type { Person } from '@parley/sdk';
import { useCallback, useContext, useEffect, useSyncExternalStore } from 'react';
import { ServicesContext, useServices } from '../core/ParleyProvider.tsx';
import type { Services } from '../core/Services.ts';
import { useStore } from '../core/Store.ts';
import { partyName } from './partyName.ts';
import { PeopleController } from './PeopleController.ts';

const createPeople = (services: Services) => new PeopleController(services);

const isWallet = (party: string) => party !== '' && !/^(guest|account):/.test(party);

/**
 * Names and images of wallets, as far as they are told to this wallet.
 * @param addresses the wallets
 * @returns the persons that are known so far, by address
 */
export function usePeople(addresses: readonly string[]): ReadonlyMap<string, Person> {
  const controller = useServices().get(createPeople);
  const key = [...new Set(addresses.filter(isWallet))].join(' ');
  useEffect(() => (key === '' ? undefined : controller.show(key.split(' '))), [controller, key]);
  return useStore(controller.store);
}

/** The name and image of a wallet; null for guests, and until they are known. Outside of a provider, nothing is known. */
export function usePerson(party: string): Person | null {
  const controller = useContext(ServicesContext)?.get(createPeople);
  useEffect(
    () => (controller && isWallet(party) ? controller.show([party]) : undefined),
    [controller, party],
  );
  const subscribe = useCallback(
    (onChange: () => void) => controller?.store.subscribe(onChange) ?? (() => undefined),
    [controller],
  );
  const get = () => controller?.store.get().get(party) ?? null;
  return useSyncExternalStore(subscribe, get, get);
}

/** The name of a party: the one that it or this wallet has given it, or its short address or identity. */
export const usePartyName = (party: string): string => usePerson(party)?.name ?? partyName(party);
