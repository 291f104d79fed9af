import { shortAddress, type ContractFacts, type GateChain } from '@parley/sdk';
import { formatUnits } from 'viem/utils';

/** What is known about the contracts and chains of a gate. */
export interface KnownContracts {
  chains: GateChain[];
  /** What the contracts report, by `factsKey()`. */
  facts: ReadonlyMap<string, ContractFacts>;
}

export const factsKey = (chainId: number, address: string): string => `${chainId} ${address}`;

/** The server's description of a requirement, with names in place of addresses and chain numbers. */
export function describeRequirement(requirement: string, { chains, facts }: KnownContracts): string {
  const chainId = Number(/ chain (\d+)/.exec(requirement)?.[1] ?? 0);
  const chain = chains.find((each) => each.chainId === chainId);
  const factsOf = (address: string) => facts.get(factsKey(chainId, address));
  const decimals = factsOf(/0x[0-9a-fA-F]{40}/.exec(requirement)?.[0] ?? '')?.decimals ?? 0;
  const named = requirement
    .replace(/(\d+) votes/, (_whole, votes: string) => `${formatUnits(BigInt(votes), decimals)} votes`)
    .replace(/0x[0-9a-fA-F]{40}/g, (address) => {
      const { name, symbol } = factsOf(address) ?? {};
      const called = name && symbol ? `${name} (${symbol})` : (name ?? symbol);
      return called ? `“${called}”` : shortAddress(address);
    })
    .replace(/^hold at least ([\d.]+) of the coin of chain \d+/, (whole, amount: string) =>
      chain ? `hold at least ${amount} ${chain.coin} on chain ${chainId}` : whole,
    )
    .replace(/on chain \d+/g, (whole) => (chain ? `on ${chain.name}` : whole));
  return named.charAt(0).toUpperCase() + named.slice(1);
}
