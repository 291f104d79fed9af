import { formatUnits } from 'viem';
import type { GateLeaf } from '../../sdk/protocol/gates.ts';

type Leaf<Type extends GateLeaf['type']> = Extract<GateLeaf, { type: Type }>;

/** Describes a condition as the end of “asks the wallet to …”: `hold at least 1 NFT of 0x… on chain 1`. */
export function describeLeaf(leaf: GateLeaf): string {
  switch (leaf.type) {
    case 'nft':
      return describeNft(leaf);
    case 'token':
      return describeToken(leaf);
    case 'dao':
      return describeDao(leaf);
  }
}

const shownIds = 5;

function describeNft({ contractAddress, chainId, tokenIds, minBalance }: Leaf<'nft'>): string {
  const count = `${minBalance} NFT${minBalance === '1' ? '' : 's'}`;
  const where = `of ${contractAddress} on chain ${chainId}`;
  if (!tokenIds) return `hold at least ${count} ${where}`;
  const shown = tokenIds.slice(0, shownIds).map((id) => `#${id}`);
  const more = tokenIds.length > shownIds ? [`${tokenIds.length - shownIds} more`] : [];
  return `hold at least ${count} ${where} among ${[...shown, ...more].join(', ')}`;
}

function describeToken({ contractAddress, chainId, minBalance, decimals }: Leaf<'token'>): string {
  const isCoin = contractAddress === null;
  // The native coin of every EVM chain has 18 decimals.
  const places = decimals ?? (isCoin ? 18 : undefined);
  const amount = places === undefined ? `${minBalance} base units` : formatUnits(BigInt(minBalance), places);
  return isCoin
    ? `hold at least ${amount} of the coin of chain ${chainId}`
    : `hold at least ${amount} of the token ${contractAddress} on chain ${chainId}`;
}

function describeDao({ contractAddress, chainId, method, minVotes }: Leaf<'dao'>): string {
  const where = `${contractAddress} on chain ${chainId}`;
  switch (method) {
    case 'votes':
      return `have at least ${minVotes} votes, its own or delegated to it, in the token ${where}`;
    case 'governor':
      return `have at least ${minVotes} votes at the governor ${where}`;
    case 'member':
      return minVotes === '1'
        ? `be a member of the DAO ${where}`
        : `be a member with at least ${minVotes} shares of the DAO ${where}`;
  }
}
