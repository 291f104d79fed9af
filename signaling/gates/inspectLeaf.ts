import { decodeAbiParameters, encodeFunctionData, parseAbi, size } from 'viem';
import type { GateLeaf } from '../../sdk/protocol/gates.ts';
import type { ChainReader, ContractAnswer } from './ChainReader.ts';

const abi = parseAbi([
  'function supportsInterface(bytes4) view returns (bool)',
  'function decimals() view returns (uint8)',
]);

const erc721 = '0x80ac58cd';
const erc1155 = '0xd9b67a26';

/**
 * Checks that a contract describes itself as the kind that the condition assumes. ERC-20 and ERC-721 share balanceOf, so with the wrong
 * type, a millionth of a coin would count as an NFT. Contracts older than ERC-165 do not declare their kind, and are accepted unless they
 * have decimals.
 * @returns the problem with the condition, or null
 */
export async function inspectLeaf(reader: ChainReader, leaf: GateLeaf): Promise<string | null> {
  if (leaf.contractAddress === null || leaf.type === 'dao') return null;
  const { chainId, contractAddress: to } = leaf;
  const supports = (id: typeof erc721 | typeof erc1155) => ({
    to,
    data: encodeFunctionData({ abi, functionName: 'supportsInterface', args: [id] }),
  });
  const decimals = { to, data: encodeFunctionData({ abi, functionName: 'decimals' }) };
  const answers = await reader.call(chainId, [supports(erc721), supports(erc1155), decimals]);
  const is721 = isTrue(answers[0]);
  const is1155 = isTrue(answers[1]);
  const hasDecimals = answers[2] != null && size(answers[2]) === 32;
  if (leaf.type === 'token') return is721 ? 'this contract is an ERC-721: use a gate of type nft' : null;
  if (leaf.standard === 'erc1155')
    return is721 && !is1155 ? 'this contract is an ERC-721: use the standard erc721' : null;
  if (is721) return null;
  if (is1155) return 'this contract is an ERC-1155: add tokenIds to the gate';
  return hasDecimals ? 'this contract is an ERC-20: use a gate of type token' : null;
}

export function isTrue(answer: ContractAnswer | undefined): boolean {
  if (!answer || size(answer) !== 32) return false;
  return decodeAbiParameters([{ type: 'uint256' }], answer)[0] === 1n;
}
