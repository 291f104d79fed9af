import type { GateLeaf } from '../../sdk/protocol/gates.ts';
import type { ChainReader } from './ChainReader.ts';
import { isTrue, isWord, questions } from './inspectContract.ts';

/**
 * Checks that a contract describes itself as the kind that the condition assumes. ERC-20 and ERC-721 share balanceOf, so with the wrong
 * type, a millionth of a coin would count as an NFT. Contracts older than ERC-165 do not declare their kind, and are accepted unless they
 * have decimals.
 * @returns the problem with the condition, or null
 */
export async function inspectLeaf(reader: ChainReader, leaf: GateLeaf): Promise<string | null> {
  if (leaf.contractAddress === null || leaf.type === 'dao') return null;
  const { chainId, contractAddress: to } = leaf;
  const asked = [questions.erc721, questions.erc1155, questions.decimals].map((data) => ({ to, data }));
  const [erc721 = null, erc1155 = null, decimals = null] = await reader.call(chainId, asked);
  const is721 = isTrue(erc721);
  const is1155 = isTrue(erc1155);
  if (leaf.type === 'token') return is721 ? 'this contract is an ERC-721: use a gate of type nft' : null;
  if (leaf.standard === 'erc1155')
    return is721 && !is1155 ? 'this contract is an ERC-721: use the standard erc721' : null;
  if (is721) return null;
  if (is1155) return 'this contract is an ERC-1155: use the standard erc1155 with tokenIds';
  return isWord(decimals) ? 'this contract is an ERC-20: use a gate of type token' : null;
}
