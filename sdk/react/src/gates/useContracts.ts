import type { ContractFacts, GateConfig } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { useParley } from '../core/ParleyProvider.tsx';
import { factsKey, type KnownContracts } from './describeRequirement.ts';
import { useGateChains } from './useGateChains.ts';

/** The maximum number of contracts to load per gate. The server reads each one from its chain. */
const maxReads = 8;

/** Loads the names of a gate's contracts and chains. If loading fails, addresses are shown. */
export function useContracts(gate: GateConfig): KnownContracts {
  const client = useParley();
  const { chains } = useGateChains();
  const [facts, setFacts] = useState<KnownContracts['facts']>(new Map());
  useEffect(() => {
    let isWanted = true;
    const readAll = async () => {
      const read = new Map<string, ContractFacts>();
      for (const [key, [chainId, address]] of [...contractsOf(gate)].slice(0, maxReads)) {
        read.set(key, await client.gatedRooms.inspect(chainId, address));
        if (isWanted) setFacts(new Map(read));
      }
    };
    readAll().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [client, gate]);
  return { chains: chains ?? [], facts };
}

/** The contracts of a gate, by factsKey(). */
export function contractsOf(gate: GateConfig, found = new Map<string, [number, string]>()) {
  if (gate.type === 'multi') for (const condition of gate.conditions) contractsOf(condition, found);
  else if (gate.contractAddress !== null)
    found.set(factsKey(gate.chainId, gate.contractAddress), [gate.chainId, gate.contractAddress]);
  return found;
}
