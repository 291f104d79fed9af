import { describe, expect, it } from 'vitest';
import { describeLeaf } from '../../../../signaling/gates/describeLeaf.ts';
import { factsKey, describeRequirement, type KnownContracts } from './describeRequirement.ts';

const contractAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const known: KnownContracts = {
  chains: [{ chainId: 8453, name: 'Base', coin: 'ETH' }],
  facts: new Map([
    [factsKey(8453, contractAddress), { name: 'Cats', symbol: 'CAT', decimals: 18, kinds: ['erc721'] }],
  ]),
};
const unknown: KnownContracts = { chains: [], facts: new Map() };

/** Requirements as the server describes them. */
const nft = describeLeaf({
  type: 'nft',
  chainId: 8453,
  contractAddress,
  standard: 'erc721',
  minBalance: '1',
});
const coin = describeLeaf({
  type: 'token',
  chainId: 8453,
  contractAddress: null,
  minBalance: '5' + '0'.repeat(17),
});
const votes = describeLeaf({
  type: 'dao',
  chainId: 8453,
  contractAddress,
  method: 'governor',
  minVotes: '1' + '0'.repeat(20),
});

describe('a gate requirement', () => {
  it('is shown with the names of contracts and chains that are known', () => {
    expect(describeRequirement(nft, known)).toBe('Hold at least 1 NFT of “Cats (CAT)” on Base');
    expect(describeRequirement(coin, known)).toBe('Hold at least 0.5 ETH on Base');
    expect(describeRequirement(votes, known)).toBe(
      'Have at least 100 votes at the governor “Cats (CAT)” on Base',
    );
  });

  it('is shown with addresses and chain numbers where names are unknown', () => {
    expect(describeRequirement(nft, unknown)).toBe('Hold at least 1 NFT of 0xf39F…2266 on chain 8453');
  });
});
