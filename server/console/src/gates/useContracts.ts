import type { ContractFacts, GateChain, GateConfig } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { factsKey, type KnownContracts } from './describeRequirement.ts';

const nothing: KnownContracts = { chains: [], facts: new Map() };
/** The maximum number of contracts to load per gate. The server reads each one from its chain. */
const maxReads = 8;

/** Loads the names of a gate's contracts and chains. If loading fails, addresses are shown. */
export function useContracts(gate: GateConfig | null): KnownContracts {
  const { client } = useSignedIn();
  const [known, setKnown] = useState(nothing);
  useEffect(() => {
    if (!gate) return;
    let isWanted = true;
    const read = async () => {
      const chains: GateChain[] = await client.gatedRooms.getChains();
      if (isWanted) setKnown((before) => ({ ...before, chains }));
      const facts = new Map<string, ContractFacts>();
      for (const [key, [chainId, address]] of [...contractsOf(gate)].slice(0, maxReads)) {
        facts.set(key, await client.gatedRooms.inspect(chainId, address));
        if (isWanted) setKnown({ chains, facts: new Map(facts) });
      }
    };
    read().catch(() => undefined);
    return () => {
      isWanted = false;
    };
  }, [client, gate]);
  return known;
}

function contractsOf(gate: GateConfig, found = new Map<string, [number, string]>()) {
  if (gate.type === 'multi') for (const condition of gate.conditions) contractsOf(condition, found);
  else if (gate.contractAddress !== null)
    found.set(factsKey(gate.chainId, gate.contractAddress), [gate.chainId, gate.contractAddress]);
  return found;
}
