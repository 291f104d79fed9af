import type { ContractFacts } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { gateConfig } from '../../../../sdk/protocol/gates.ts';
import {
  baseUnits,
  changed,
  newCondition,
  newGroup,
  readGate,
  suitable,
  type ConditionDraft,
  type GroupDraft,
} from './gateDraft.ts';

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const facts = (...kinds: ContractFacts['kinds']): ContractFacts => ({
  name: 'Test',
  symbol: 'TST',
  decimals: kinds.includes('erc20') ? 6 : null,
  kinds,
});
const condition = (more: Partial<ConditionDraft>): ConditionDraft => ({
  ...newCondition(1),
  address,
  ...more,
});
const only = (more: Partial<ConditionDraft>): GroupDraft => ({ ...newGroup(1), of: [condition(more)] });
const gateOf = (more: Partial<ConditionDraft>) => readGate(only(more)).gate;
const problemOf = (more: Partial<ConditionDraft>) => [...(readGate(only(more)).problems?.values() ?? [])][0];

describe('a gate draft', () => {
  it('becomes a gate without an operator if it has a single condition', () => {
    expect(gateOf({})).toEqual({
      type: 'nft',
      chainId: 1,
      contractAddress: address,
      standard: 'erc721',
      minBalance: '1',
    });
    expect(gateOf({ standard: 'erc1155', tokenIds: '1, 2 #3 2', amount: '2' })).toMatchObject({
      tokenIds: ['1', '2', '3'],
      minBalance: '2',
    });
    expect(gateOf({ kind: 'coin', amount: '0.5' })).toMatchObject({
      contractAddress: null,
      minBalance: '500000000000000000',
    });
    expect(gateOf({ kind: 'token', amount: '1.5', facts: facts('erc20') })).toMatchObject({
      minBalance: '1500000',
      decimals: 6,
    });
    expect(gateOf({ kind: 'dao', amount: '1.5', facts: facts('erc20', 'votes') })).toMatchObject({
      method: 'votes',
      minVotes: '1500000',
    });
    expect(gateOf({ kind: 'dao', method: 'member', facts: facts('member') })).toMatchObject({
      method: 'member',
      minVotes: '1',
    });
  });

  it('reports missing and invalid fields of each condition', () => {
    expect(problemOf({ address: '' })).toContain('Paste the address');
    expect(problemOf({ address: '0x12' })).toContain('40 digits');
    expect(problemOf({ standard: 'erc1155' })).toContain('token IDs');
    expect(problemOf({ tokenIds: 'one' })).toContain('whole numbers');
    expect(problemOf({ amount: '1.5' })).toContain('whole number');
    expect(problemOf({ kind: 'token' })).toContain('not loaded yet');
    expect(problemOf({ kind: 'dao', method: 'votes', amount: '100' })).toContain('not loaded yet');
    expect(problemOf({ kind: 'dao', method: 'governor', amount: '100' })).toContain('not loaded yet');
    expect(problemOf({ kind: 'token', amount: '0.1234567', facts: facts('erc20') })).toContain('6 decimals');
    expect(problemOf({ facts: facts('erc20', 'votes') })).toContain('token (ERC-20)');
    expect(problemOf({ kind: 'coin', amount: '0' })).toContain('above zero');
    expect([...(readGate({ ...newGroup(1), of: [] }).problems?.values() ?? [])]).toEqual([
      'Add at least one condition.',
    ]);
  });

  it('may have three levels of groups, as on the server', () => {
    const inner: GroupDraft = { ...newGroup(1, 'or'), of: [condition({}), condition({ kind: 'coin' })] };
    const middle: GroupDraft = { ...newGroup(1), of: [inner, condition({})] };
    const outer: GroupDraft = { ...newGroup(1, 'or'), of: [middle, condition({})] };
    const { gate } = readGate(outer);
    expect(gate).toMatchObject({ type: 'multi', operator: 'or' });
    expect(gateConfig.safeParse(gate).success).toBe(true);
  });

  it('changes only where it is edited', () => {
    const [one, other] = [condition({}), condition({})];
    const outer: GroupDraft = { ...newGroup(1), of: [{ ...newGroup(1), key: 'inner', of: [one, other] }] };
    const without = changed(outer, other.key, () => null);
    expect(without.of).toMatchObject([{ key: 'inner', of: [one] }]);
    expect(changed(outer, 'inner', () => null).of).toEqual([]);
  });
});

it.each([
  [facts('erc721'), { kind: 'nft', standard: 'erc721' }],
  [facts('erc1155'), { kind: 'nft', standard: 'erc1155' }],
  [facts('erc20', 'votes'), { kind: 'token' }],
  [facts('governor'), { kind: 'dao', method: 'governor' }],
  [facts('member'), { kind: 'dao', method: 'member' }],
  [facts(), {}],
])('selects the kind of condition that suits the contract: %j', (is, change) => {
  expect(suitable(condition({}), is)).toEqual(change);
});

it.each([
  ['1', 18, '1000000000000000000'],
  ['0,25', 2, '25'],
  ['0,125', 3, '125'],
  ['1.125', 3, '1125'],
  ['1,000', 18, null],
  ['25,000', 0, null],
  ['1.10', 1, '11'],
  ['1.11', 1, null],
  ['-1', 1, null],
  ['1e3', 1, null],
  ['', 1, null],
])('converts %s with %i decimals to base units: %s', (written, decimals, expected) => {
  expect(baseUnits(written, decimals)).toBe(expected);
});
