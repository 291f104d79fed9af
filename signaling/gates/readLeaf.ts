import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  parseAbi,
  size,
  type Address,
  type Hex,
} from 'viem';
import type { GateLeaf } from '../../sdk/protocol/gates.ts';
import type { ChainReader, ContractAnswer, ContractCall } from './ChainReader.ts';

type Leaf<Type extends GateLeaf['type']> = Extract<GateLeaf, { type: Type }>;

/** The contract is not of the assumed kind, so the condition has no answer. */
export class UnreadableLeaf extends Error {}

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function ownerOf(uint256) view returns (address)',
  'function getVotes(address) view returns (uint256)',
  'function clock() view returns (uint48)',
  'function isMember(address) view returns (bool)',
  'function isOwner(address) view returns (bool)',
  'function members(address) view returns (bool)',
]);
/** parseAbi takes one overload of a name per list. */
const byId = parseAbi(['function balanceOf(address, uint256) view returns (uint256)']);
const atTimepoint = parseAbi(['function getVotes(address, uint256) view returns (uint256)']);

/**
 * Whether a wallet meets one condition.
 * @throws UnreadableLeaf, ParleyError SERVICE_UNAVAILABLE (the chain cannot be read). Neither counts as a negative answer.
 */
export async function readLeaf(reader: ChainReader, leaf: GateLeaf, wallet: Address): Promise<boolean> {
  switch (leaf.type) {
    case 'nft':
      return (await countNfts(reader, leaf, wallet)) >= BigInt(leaf.minBalance);
    case 'token':
      return (await balanceOf(reader, leaf, wallet)) >= BigInt(leaf.minBalance);
    case 'dao':
      return (await votes(reader, leaf, wallet)) >= BigInt(leaf.minVotes);
  }
}

async function countNfts(reader: ChainReader, leaf: Leaf<'nft'>, wallet: Address): Promise<bigint> {
  const { chainId, contractAddress: to, tokenIds = [] } = leaf;
  const ids = tokenIds.map(BigInt);
  if (leaf.standard === 'erc1155') {
    const questions = ids.map((id) => encodeFunctionData({ abi: byId, args: [wallet, id] }));
    const answers = await reader.call(chainId, asked(to, questions));
    const counts = answers.map((answer) =>
      decoded(() => decodeFunctionResult({ abi: byId, data: given(answer) })),
    );
    return counts.reduce((sum, count) => sum + count, 0n);
  }
  if (!leaf.tokenIds) return balanceOf(reader, leaf, wallet);
  const questions = ids.map((id) => encodeFunctionData({ abi, functionName: 'ownerOf', args: [id] }));
  const answers = await reader.call(chainId, asked(to, questions));
  // ownerOf reverts for a token that does not exist: it has no owner.
  const owners = answers.map((data) =>
    data === null ? null : decoded(() => decodeFunctionResult({ abi, functionName: 'ownerOf', data })),
  );
  return BigInt(owners.filter((owner) => owner === wallet).length);
}

async function balanceOf(
  reader: ChainReader,
  { chainId, contractAddress }: Leaf<'nft' | 'token'>,
  wallet: Address,
): Promise<bigint> {
  if (contractAddress === null) return reader.balance(chainId, wallet);
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [wallet] });
  return readNumber(reader, chainId, contractAddress, data);
}

/**
 * A governor's votes are read as of the previous block or second. The votes of the current one may still change, and a governor refuses to
 * count them. The governor says whether it counts blocks or seconds (ERC-6372); an older one counts blocks.
 */
async function votes(reader: ChainReader, leaf: Leaf<'dao'>, wallet: Address): Promise<bigint> {
  const { chainId, contractAddress: to, method } = leaf;
  if (method === 'member') return shares(reader, leaf, wallet);
  if (method === 'votes')
    return readNumber(
      reader,
      chainId,
      to,
      encodeFunctionData({ abi, functionName: 'getVotes', args: [wallet] }),
    );
  const [clock] = await reader.call(chainId, asked(to, [encodeFunctionData({ abi, functionName: 'clock' })]));
  const now =
    clock && size(clock) === 32
      ? decoded(() => BigInt(decodeFunctionResult({ abi, functionName: 'clock', data: clock })))
      : await reader.blockNumber(chainId);
  const timepoint = now > 0n ? now - 1n : 0n;
  return readNumber(reader, chainId, to, encodeFunctionData({ abi: atTimepoint, args: [wallet, timepoint] }));
}

/** The membership functions of DAOs, in order of preference: isMember (Aragon and others), isOwner (Safe), members (Moloch). */
const memberFunctions = ['isMember', 'isOwner', 'members'] as const;

async function shares(
  reader: ChainReader,
  { chainId, contractAddress }: Leaf<'dao'>,
  wallet: Address,
): Promise<bigint> {
  const questions = memberFunctions.map((functionName) =>
    encodeFunctionData({ abi, functionName, args: [wallet] }),
  );
  for (const answer of await reader.call(chainId, asked(contractAddress, questions)))
    if (answer !== null && size(answer) > 0) return decoded(() => sharesIn(answer));
  throw new UnreadableLeaf('it has none of isMember, isOwner and members');
}

/**
 * Decodes the answer of a membership function: a boolean, or one of Moloch's structs. These contain delegateKey, shares, then exists
 * (version 1, four 32-byte words) or loot, exists … (version 2, six 32-byte words).
 */
function sharesIn(answer: Hex): bigint {
  switch (size(answer) / 32) {
    case 1:
      return decodeAbiParameters([{ type: 'bool' }], answer)[0] ? 1n : 0n;
    case 4:
    case 6:
      return decodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], answer)[1];
    default:
      throw new Error('the struct of its members is not known');
  }
}

const asked = (to: Address, questions: Hex[]): ContractCall[] => questions.map((data) => ({ to, data }));

async function readNumber(reader: ChainReader, chainId: number, to: Address, data: Hex): Promise<bigint> {
  const [answer = null] = await reader.call(chainId, [{ to, data }]);
  return decoded(() => {
    const number = given(answer);
    if (size(number) !== 32) throw new Error('its answer is not a number');
    return decodeAbiParameters([{ type: 'uint256' }], number)[0];
  });
}

function given(answer: ContractAnswer): Hex {
  if (answer === null) throw new UnreadableLeaf('it refuses the call, or lacks the function');
  if (answer === '0x') throw new UnreadableLeaf('there is no contract at this address');
  return answer;
}

/** An answer that cannot be decoded makes the condition unreadable. */
function decoded<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof UnreadableLeaf) throw cause;
    throw new UnreadableLeaf('its answer does not follow the standard');
  }
}
