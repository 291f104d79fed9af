import type { GateChain } from '@parley/sdk';
import { useCallback, useEffect } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import type { Services } from '../core/Services.ts';
import { Store, useStore } from '../core/Store.ts';
import { explain, type Problem } from '../problems/explain.ts';

interface Chains {
  /** The chains that the server reads; null until they are loaded. */
  chains: GateChain[] | null;
  /** Why they could not be loaded. */
  problem: Problem | null;
}

/** The chains of the server, which are read once per client. */
class GateChains {
  readonly store = new Store<Chains>({ chains: null, problem: null });
  readonly #services: Services;
  #reading: Promise<void> | null = null;

  constructor(services: Services) {
    this.#services = services;
  }

  read(): Promise<void> {
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { client, words } = this.#services;
    try {
      this.store.set({ chains: await client.gatedRooms.getChains(), problem: null });
    } catch (error) {
      this.#reading = null;
      this.store.set({ chains: null, problem: explain(error, words.problems) });
    }
  }
}

const createGateChains = (services: Services) => new GateChains(services);

/** The chains on which gates can be checked. @returns them, and a function that tries again to load them */
export function useGateChains(): Chains & { retry: () => void } {
  const loader = useServices().get(createGateChains);
  const state = useStore(loader.store);
  const retry = useCallback(() => void loader.read(), [loader]);
  useEffect(retry, [retry]);
  return { ...state, retry };
}
