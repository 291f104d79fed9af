interface KnownChain {
  name: string;
  /** The symbol of the chain's native coin. */
  coin: string;
}

const ether = (name: string): KnownChain => ({ name, coin: 'ETH' });

/** The names of chains. Chains that are not listed are named by their number. */
export const wellKnownChains: ReadonlyMap<number, KnownChain> = new Map([
  [1, ether('Ethereum')],
  [10, ether('Optimism')],
  [56, { name: 'BNB Smart Chain', coin: 'BNB' }],
  [100, { name: 'Gnosis', coin: 'xDAI' }],
  [137, { name: 'Polygon', coin: 'POL' }],
  [324, ether('zkSync Era')],
  [8453, ether('Base')],
  [42161, ether('Arbitrum One')],
  [42220, { name: 'Celo', coin: 'CELO' }],
  [43114, { name: 'Avalanche', coin: 'AVAX' }],
  [59144, ether('Linea')],
  [534352, ether('Scroll')],
  [31337, ether('Local chain')],
  [80002, { name: 'Polygon Amoy', coin: 'POL' }],
  [84532, ether('Base Sepolia')],
  [421614, ether('Arbitrum Sepolia')],
  [11155111, ether('Sepolia')],
  [11155420, ether('Optimism Sepolia')],
]);
