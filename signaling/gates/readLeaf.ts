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

/** The contract is not what the gate takes it for: it says neither yes nor no. */
export class UnreadableLeaf extends Error {
  readonly leaf: GateLeaf;

  constructor(leaf: GateLeaf, why: string) {
    super(why);
    this.leaf = leaf;
  }
}

const abi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function ownerOf(uint256) view returns (address)',
  'function getVotes(address) view returns (uint256)',
  'function clock() view returns (uint48)',
  'function isMember(address) view returns (bool)',
  'function isOwner(address) view returns (bool)',
  'function members(address) view returns (bool)',
]);
/** Overloads of a name can't be told apart in one list. */
const byId = parseAbi(['function balanceOf(address, uint256) view returns (uint256)']);
const atTimepoint = parseAbi(['function getVotes(address, uint256) view returns (uint256)']);

/**
 * Whether a wallet meets one condition.
 * @throws UnreadableLeaf, ParleyError SERVICE_UNAVAILABLE (the chain can't be asked): neither is a no, let alone a yes
 */
export async function readLeaf(reader: ChainReader, leaf: GateLeaf, wallet: Address): Promise<boolean> {
  switch (leaf.type) {
    case 'nft':
      return (await countNfts(reader, leaf, wallet)) >= BigInt(leaf.minBalance);
    case 'token':
      return (await balanceOfToken(reader, leaf, wallet)) >= BigInt(leaf.minBalance);
    case 'dao':
      return (await votes(reader, leaf, wallet)) >= BigInt(leaf.minVotes);
  }
}

async function countNfts(reader: ChainReader, leaf: Leaf<'nft'>, wallet: Address): Promise<bigint> {
  const { chainId, contractAddress: to, tokenIds, standard } = leaf;
  if (standard === 'erc1155') return countById(reader, leaf, wallet);
  if (!tokenIds) return balanceOf(reader, leaf, to, wallet);
  const answers = await reader.call(
    chainId,
    tokenIds.map((id) => call(to, encodeFunctionData({ abi, functionName: 'ownerOf', args: [BigInt(id)] }))),
  );
  // A token that does not exist, or no longer, reverts: it is nobody's.
  const owners = answers.map((answer) =>
    answer === null
      ? null
      : whole(leaf, () => decodeFunctionResult({ abi, functionName: 'ownerOf', data: answer })),
  );
  return BigInt(owners.filter((owner) => owner === wallet).length);
}

async function countById(reader: ChainReader, leaf: Leaf<'nft'>, wallet: Address): Promise<bigint> {
  const { chainId, contractAddress: to, tokenIds = [] } = leaf;
  const calls = tokenIds.map((id) =>
    call(to, encodeFunctionData({ abi: byId, functionName: 'balanceOf', args: [wallet, BigInt(id)] })),
  );
  const answers = await reader.call(chainId, calls);
  return answers.reduce(
    (sum, answer) =>
      sum +
      whole(leaf, () =>
        decodeFunctionResult({ abi: byId, functionName: 'balanceOf', data: given(leaf, answer) }),
      ),
    0n,
  );
}

async function balanceOfToken(reader: ChainReader, leaf: Leaf<'token'>, wallet: Address): Promise<bigint> {
  if (leaf.contractAddress === null) return reader.balance(leaf.chainId, wallet);
  return balanceOf(reader, leaf, leaf.contractAddress, wallet);
}

async function balanceOf(
  reader: ChainReader,
  leaf: GateLeaf,
  contract: Address,
  wallet: Address,
): Promise<bigint> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [wallet] });
  const [answer] = await reader.call(leaf.chainId, [call(contract, data)]);
  return uint(leaf, answer);
}

async function votes(reader: ChainReader, leaf: Leaf<'dao'>, wallet: Address): Promise<bigint> {
  switch (leaf.method) {
    case 'votes': {
      const data = encodeFunctionData({ abi, functionName: 'getVotes', args: [wallet] });
      const [answer] = await reader.call(leaf.chainId, [call(leaf.contractAddress, data)]);
      return uint(leaf, answer);
    }
    case 'governor':
      return votesAtGovernor(reader, leaf, wallet);
    case 'member':
      return shares(reader, leaf, wallet);
  }
}

/**
 * At the last moment that is over: votes of the present one may still change, and a governor refuses to count them. It says itself
 * whether it counts blocks or seconds (ERC-6372); one from before that counts blocks.
 */
async function votesAtGovernor(reader: ChainReader, leaf: Leaf<'dao'>, wallet: Address): Promise<bigint> {
  const { chainId, contractAddress: to } = leaf;
  const [clock] = await reader.call(chainId, [call(to, encodeFunctionData({ abi, functionName: 'clock' }))]);
  const now =
    clock && size(clock) === 32
      ? BigInt(decodeFunctionResult({ abi, functionName: 'clock', data: clock }))
      : await reader.blockNumber(chainId);
  const timepoint = now > 0n ? now - 1n : 0n;
  const data = encodeFunctionData({ abi: atTimepoint, functionName: 'getVotes', args: [wallet, timepoint] });
  const [answer] = await reader.call(chainId, [call(to, data)]);
  return uint(leaf, answer);
}

/** What is asked of a DAO for its members, in this order: Aragon's and others' isMember, Safe's isOwner, Moloch's members. */
const memberFunctions = ['isMember', 'isOwner', 'members'] as const;

async function shares(reader: ChainReader, leaf: Leaf<'dao'>, wallet: Address): Promise<bigint> {
  const { chainId, contractAddress: to } = leaf;
  const calls = memberFunctions.map((functionName) =>
    call(to, encodeFunctionData({ abi, functionName, args: [wallet] })),
  );
  const answers = await reader.call(chainId, calls);
  for (const answer of answers) {
    if (answer !== null && size(answer) > 0) return whole(leaf, () => sharesIn(answer));
  }
  throw new UnreadableLeaf(leaf, 'it has none of isMember, isOwner and members');
}

/** Moloch's members are structs: delegateKey, shares, and then exists (version 1, 4 words) or loot, exists … (version 2, 6 words). */
function sharesIn(answer: Hex): bigint {
  switch (size(answer) / 32) {
    case 1:
      return decodeAbiParameters([{ type: 'bool' }], answer)[0] ? 1n : 0n;
    case 4:
    case 6:
      return decodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], answer)[1];
    default:
      throw new Error('its members are of no form that is known');
  }
}

const call = (to: Address, data: Hex): ContractCall => ({ to, data });

function uint(leaf: GateLeaf, answer: ContractAnswer | undefined): bigint {
  return whole(leaf, () => {
    const data = given(leaf, answer);
    if (size(data) !== 32) throw new Error('its answer is no number');
    return decodeAbiParameters([{ type: 'uint256' }], data)[0];
  });
}

function given(leaf: GateLeaf, answer: ContractAnswer | undefined): Hex {
  if (answer === null || answer === undefined)
    throw new UnreadableLeaf(leaf, 'it refuses the question, or does not know it');
  if (answer === '0x') throw new UnreadableLeaf(leaf, 'there is no contract at this address');
  return answer;
}

/** What can't be decoded is no answer. */
function whole<T>(leaf: GateLeaf, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof UnreadableLeaf) throw cause;
    throw new UnreadableLeaf(leaf, 'its answer is not of the standard’s form');
  }
}
