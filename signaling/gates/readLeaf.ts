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
  // ownerOf reverts for a token that does not exist: it has no owner.
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
 * Reads the votes as of the previous block or second. The votes of the current one may still change, and a governor refuses to count them.
 * The governor says whether it counts blocks or seconds (ERC-6372); an older one counts blocks.
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

/** The membership functions of DAOs, in order of preference: isMember (Aragon and others), isOwner (Safe), members (Moloch). */
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

const call = (to: Address, data: Hex): ContractCall => ({ to, data });

function uint(leaf: GateLeaf, answer: ContractAnswer | undefined): bigint {
  return whole(leaf, () => {
    const data = given(leaf, answer);
    if (size(data) !== 32) throw new Error('its answer is not a number');
    return decodeAbiParameters([{ type: 'uint256' }], data)[0];
  });
}

function given(leaf: GateLeaf, answer: ContractAnswer | undefined): Hex {
  if (answer === null || answer === undefined)
    throw new UnreadableLeaf(leaf, 'it refuses the call, or lacks the function');
  if (answer === '0x') throw new UnreadableLeaf(leaf, 'there is no contract at this address');
  return answer;
}

/** An answer that cannot be decoded makes the condition unreadable. */
function whole<T>(leaf: GateLeaf, decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    if (cause instanceof UnreadableLeaf) throw cause;
    throw new UnreadableLeaf(leaf, 'its answer does not follow the standard');
  }
}
