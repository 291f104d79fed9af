import { maxGateDepth, maxGateLeaves, type ContractFacts, type GateConfig, type GateType } from '@parley/sdk';
import { parseUnits } from 'viem/utils';
import { parseCallee, type Callee } from '../calls/parseCallee.ts';
import { gates as english } from '../words/gates.ts';

export type ConditionKind = 'nft' | 'token' | 'coin' | 'dao';
type DaoMethod = 'votes' | 'governor' | 'member';

/** One condition, as the user enters it. */
export interface ConditionDraft {
  is: 'condition';
  key: string;
  kind: ConditionKind;
  chainId: number;
  address: string;
  /** What the contract reports about itself; null until it is loaded. */
  facts: ContractFacts | null;
  standard: 'erc721' | 'erc1155';
  /** Numbers separated by commas or spaces. */
  tokenIds: string;
  /** In whole units, for example 1.5. */
  amount: string;
  method: DaoMethod;
}

/** Conditions of which all (`and`) or any (`or`) must be met. */
export interface GroupDraft {
  is: 'group';
  key: string;
  operator: 'and' | 'or';
  of: Draft[];
}

export type Draft = ConditionDraft | GroupDraft;

let keys = 0;
const newKey = () => `${++keys}`;

export const newCondition = (chainId: number): ConditionDraft => ({
  is: 'condition',
  key: newKey(),
  kind: 'nft',
  chainId,
  address: '',
  facts: null,
  standard: 'erc721',
  tokenIds: '',
  amount: '1',
  method: 'votes',
});

export const newGroup = (chainId: number, operator: GroupDraft['operator'] = 'and'): GroupDraft => ({
  is: 'group',
  key: newKey(),
  operator,
  of: [newCondition(chainId)],
});

/** The maximum depth of nested groups. */
export const deepest = maxGateDepth;

export type Problems = ReadonlyMap<string, string>;
export type ReadGate =
  | { gate: GateConfig & { type: GateType }; problems?: undefined }
  | { gate?: undefined; problems: Problems };

const mostIds = 50;

/** Returns the gate that a draft describes, or its problems by the key of the condition. @param words @default the English ones */
export function readGate(draft: GroupDraft, words = english): ReadGate {
  const problems = new Map<string, string>();
  if (countOf(draft) > maxGateLeaves) problems.set(draft.key, words.tooMany(maxGateLeaves));
  const gate = gateOf(draft, problems, words);
  return gate && problems.size === 0 ? { gate } : { problems };
}

function gateOf(draft: Draft, problems: Map<string, string>, words: typeof english): GateConfig | null {
  if (draft.is === 'condition') {
    const { condition, problem } = readCondition(draft, words);
    if (problem !== undefined) problems.set(draft.key, problem);
    return condition ?? null;
  }
  const conditions = draft.of.map((each) => gateOf(each, problems, words)).filter((each) => each !== null);
  if (conditions.length === 0 && problems.size === 0) problems.set(draft.key, words.addOne);
  const [only] = conditions;
  // A single condition needs no operator.
  if (draft.of.length === 1 && only) return only;
  return { type: 'multi', operator: draft.operator, conditions };
}

const countOf = (draft: Draft): number =>
  draft.is === 'condition' ? 1 : draft.of.reduce((sum, each) => sum + countOf(each), 0);

type ReadCondition =
  | { condition: GateConfig; problem?: undefined }
  | { condition?: undefined; problem: string };

function readCondition(draft: ConditionDraft, words: typeof english): ReadCondition {
  const { kind, chainId } = draft;
  if (kind === 'coin') {
    const minBalance = baseUnits(draft.amount, 18);
    if (minBalance === null) return { problem: words.enterAmount };
    return { condition: { type: 'token', chainId, contractAddress: null, minBalance, decimals: 18 } };
  }
  const { address, problem } = contractOf(draft, words);
  if (address === undefined) return { problem };
  switch (kind) {
    case 'nft':
      return readNft(draft, address, words);
    case 'token':
      return readToken(draft, address, words);
    case 'dao':
      return readDao(draft, address, words);
  }
}

/** Validates the contract's address. */
export function contractOf({ address }: Pick<ConditionDraft, 'address'>, words = english): Callee {
  if (address.trim() === '') return { problem: words.pasteAddress };
  if (/^\s*eip155:/i.test(address)) return { problem: words.withoutPrefix };
  return parseCallee(address, { origin: '', address: null });
}

function readNft(draft: ConditionDraft, contractAddress: string, words: typeof english): ReadCondition {
  const { chainId, standard, tokenIds: written, facts } = draft;
  const problem = mismatch(facts, [standard], words);
  if (problem) return { problem };
  const tokenIds = [...new Set(written.split(/[\s,;#]+/).filter((part) => part !== ''))];
  if (tokenIds.some((id) => !/^(0|[1-9]\d{0,77})$/.test(id))) return { problem: words.wholeIds };
  if (standard === 'erc1155' && tokenIds.length === 0) return { problem: words.idsNeeded };
  if (tokenIds.length > mostIds) return { problem: words.tooManyIds(mostIds) };
  const minBalance = baseUnits(draft.amount, 0);
  if (minBalance === null) return { problem: words.wholeNumber };
  const ids = tokenIds.length > 0 ? { tokenIds } : {};
  return { condition: { type: 'nft', chainId, contractAddress, standard, minBalance, ...ids } as GateConfig };
}

function readToken(draft: ConditionDraft, contractAddress: string, words: typeof english): ReadCondition {
  const { chainId, amount, facts } = draft;
  const problem = mismatch(facts, ['erc20'], words);
  if (problem) return { problem };
  const decimals = facts?.decimals ?? null;
  if (decimals === null) return { problem: words.notLoaded };
  const minBalance = baseUnits(amount, decimals);
  if (minBalance === null) return { problem: words.enterDecimals(decimals) };
  return { condition: { type: 'token', chainId, contractAddress, minBalance, decimals } as GateConfig };
}

function readDao(draft: ConditionDraft, contractAddress: string, words: typeof english): ReadCondition {
  const { chainId, method, amount, facts } = draft;
  const problem = mismatch(facts, [method], words);
  if (problem) return { problem };
  // In base units, the same number is next to nothing for a token with 18 decimals.
  if (method !== 'member' && !facts) return { problem: words.notLoaded };
  const minVotes = baseUnits(amount, method === 'member' ? 0 : (facts?.decimals ?? 0));
  if (minVotes === null) return { problem: words.aboveZero };
  return { condition: { type: 'dao', chainId, contractAddress, method, minVotes } as GateConfig };
}

/** Explains that a contract is not of the wanted kind. A contract that reports no kinds passes, because old contracts report none. */
function mismatch(
  facts: ContractFacts | null,
  wanted: ContractFacts['kinds'],
  { isKind, and, or, mismatch: say }: typeof english,
): string | null {
  if (!facts || facts.kinds.length === 0 || wanted.some((kind) => facts.kinds.includes(kind))) return null;
  const list = (kinds: ContractFacts['kinds'], joint: string) =>
    kinds.map((kind) => isKind[kind]).join(` ${joint} `);
  return say(list(facts.kinds, and), list(wanted, or));
}

/** Returns the changes that make a draft suit its contract. */
export function suitable(draft: ConditionDraft, facts: ContractFacts): Partial<ConditionDraft> {
  const has = (kind: ContractFacts['kinds'][number]) => facts.kinds.includes(kind);
  const daoMethod = (['governor', 'votes', 'member'] as const).find(has);
  if (draft.kind === 'dao' && daoMethod) return has(draft.method) ? {} : { method: daoMethod };
  if (has('erc721')) return { kind: 'nft', standard: 'erc721' };
  if (has('erc1155')) return { kind: 'nft', standard: 'erc1155' };
  if (has('governor')) return { kind: 'dao', method: 'governor' };
  if (has('erc20')) return { kind: 'token' };
  return daoMethod ? { kind: 'dao', method: daoMethod } : {};
}

/**
 * Converts an amount to base units.
 * @param written with a point or comma before the decimals. 1,000 is no amount, because it may be a thousand or one
 * @returns null if the text is not an amount above zero
 */
export function baseUnits(written: string, decimals: number): string | null {
  if (/^[1-9]\d{0,2},\d{3}$/.test(written.trim())) return null;
  const text = written.trim().replace(',', '.');
  if (!/^\d{1,60}(\.\d{1,77})?$/.test(text)) return null;
  // parseUnits would round excess decimals.
  if ((text.split('.')[1] ?? '').replace(/0+$/, '').length > decimals) return null;
  const amount = parseUnits(text, decimals);
  return amount > 0n && amount < 2n ** 256n ? String(amount) : null;
}

/** Returns a copy in which the draft with this key is changed, or removed if `change` returns null. */
export function changed(group: GroupDraft, key: string, change: (draft: Draft) => Draft | null): GroupDraft {
  const of = group.of.flatMap((each) => {
    if (each.key === key) return change(each) ?? [];
    return each.is === 'group' ? [changed(each, key, change)] : [each];
  });
  return { ...group, of };
}
