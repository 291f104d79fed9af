import {
  decodeAbiParameters,
  encodeFunctionData,
  getAddress,
  hexToString,
  parseAbi,
  size,
  slice,
  trim,
  zeroAddress,
  type Hex,
} from 'viem';
import type { EvmAddress } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { ContractKind, WireContract } from '../../sdk/protocol/gates.ts';
import type { ChainReader, ContractAnswer } from './ChainReader.ts';

const abi = parseAbi([
  'function supportsInterface(bytes4) view returns (bool)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function getVotes(address) view returns (uint256)',
  'function votingPeriod() view returns (uint256)',
  'function token() view returns (address)',
  'function isMember(address) view returns (bool)',
  'function isOwner(address) view returns (bool)',
  'function members(address) view returns (bool)',
]);

export const questions = {
  erc721: encodeFunctionData({ abi, functionName: 'supportsInterface', args: ['0x80ac58cd'] }),
  erc1155: encodeFunctionData({ abi, functionName: 'supportsInterface', args: ['0xd9b67a26'] }),
  name: encodeFunctionData({ abi, functionName: 'name' }),
  symbol: encodeFunctionData({ abi, functionName: 'symbol' }),
  decimals: encodeFunctionData({ abi, functionName: 'decimals' }),
  getVotes: encodeFunctionData({ abi, functionName: 'getVotes', args: [zeroAddress] }),
  votingPeriod: encodeFunctionData({ abi, functionName: 'votingPeriod' }),
  token: encodeFunctionData({ abi, functionName: 'token' }),
  isMember: encodeFunctionData({ abi, functionName: 'isMember', args: [zeroAddress] }),
  isOwner: encodeFunctionData({ abi, functionName: 'isOwner', args: [zeroAddress] }),
  members: encodeFunctionData({ abi, functionName: 'members', args: [zeroAddress] }),
} satisfies Record<string, Hex>;

type Answers = Record<keyof typeof questions, ContractAnswer>;

/**
 * Reads how a contract describes itself, for the creator of a gate. Names and symbols are untrusted text.
 * @throws ParleyError VALIDATION_ERROR when there is no contract, SERVICE_UNAVAILABLE
 */
export async function inspectContract(
  reader: ChainReader,
  chainId: number,
  to: EvmAddress,
): Promise<WireContract> {
  const names = Object.keys(questions) as (keyof typeof questions)[];
  const given = await reader.call(
    chainId,
    names.map((name) => ({ to, data: questions[name] })),
  );
  if (given.every((answer) => answer === '0x')) throw noContract(chainId);
  const answers = Object.fromEntries(names.map((name, at) => [name, given[at] ?? null])) as Answers;
  const own = decimalsIn(answers.decimals);
  return {
    name: textIn(answers.name),
    symbol: textIn(answers.symbol),
    decimals: own ?? (await decimalsOfVotes(reader, chainId, answers)),
    kinds: kindsOf(answers, own),
  };
}

/** A governor counts the votes of its token, so it has the token's decimals. */
async function decimalsOfVotes(
  reader: ChainReader,
  chainId: number,
  { votingPeriod, token }: Answers,
): Promise<number | null> {
  if (!isWord(votingPeriod) || token === null || size(token) !== 32) return null;
  const to = getAddress(slice(token, 12));
  const [answer = null] = await reader.call(chainId, [{ to, data: questions.decimals }]);
  return decimalsIn(answer);
}

function kindsOf(answers: Answers, decimals: number | null): ContractKind[] {
  const is721 = isTrue(answers.erc721);
  const is1155 = isTrue(answers.erc1155);
  const has: [ContractKind, boolean][] = [
    ['erc721', is721],
    ['erc1155', is1155],
    ['erc20', decimals !== null && !is721 && !is1155],
    ['votes', isWord(answers.getVotes)],
    ['governor', isWord(answers.votingPeriod)],
    ['member', [answers.isMember, answers.isOwner, answers.members].some(isMembership)],
  ];
  return has.filter(([, is]) => is).map(([kind]) => kind);
}

export const isWord = (answer: ContractAnswer) => answer !== null && size(answer) === 32;
export const isTrue = (answer: ContractAnswer) =>
  answer !== null && isWord(answer) && decodeAbiParameters([{ type: 'uint256' }], answer)[0] === 1n;
/** Whether the answer is a boolean, or one of Moloch's member structs. */
const isMembership = (answer: ContractAnswer) => answer !== null && [1, 4, 6].includes(size(answer) / 32);

function decimalsIn(answer: ContractAnswer): number | null {
  if (!answer || size(answer) !== 32) return null;
  const [decimals] = decodeAbiParameters([{ type: 'uint256' }], answer);
  return decimals <= 77n ? Number(decimals) : null;
}

const maxTextLength = 64;

/** Decodes a string, or the bytes32 that older contracts return. Removes control characters that could hide or reverse other text. */
function textIn(answer: ContractAnswer): string | null {
  if (!answer || answer === '0x') return null;
  try {
    const text =
      size(answer) === 32
        ? hexToString(trim(answer, { dir: 'right' }))
        : decodeAbiParameters([{ type: 'string' }], answer)[0];
    const shown = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
    return [...shown].slice(0, maxTextLength).join('') || null;
  } catch {
    return null;
  }
}

function noContract(chainId: number): ParleyError {
  const message = `There is no contract at this address on chain ${chainId}: check the address and the chain.`;
  return new ParleyError('VALIDATION_ERROR', message, {
    reason: 'no_contract',
    details: [{ path: 'contractAddress', code: 'no_contract', message }],
  });
}
