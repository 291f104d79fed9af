import { describe, expect, it } from 'vitest';
import { gateConfig } from './gates.ts';

const contractAddress = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const nft = { type: 'nft', chainId: 1, contractAddress, standard: 'erc721' };
const token = { type: 'token', chainId: 1, contractAddress: null, minBalance: '1' };
const dao = { type: 'dao', chainId: 1, contractAddress, method: 'votes' };
const multi = (...conditions: unknown[]) => ({ type: 'multi', operator: 'and', conditions });

const isValid = (gate: unknown) => gateConfig.safeParse(gate).success;
const repeat = (count: number, value: unknown) => Array.from({ length: count }, () => value);

describe('a gate', () => {
  it('gets its defaults, and addresses with checksum', () => {
    expect(gateConfig.parse(nft)).toEqual({
      ...nft,
      contractAddress: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      minBalance: '1',
    });
    expect(gateConfig.parse(dao)).toMatchObject({ minVotes: '1' });
    expect(gateConfig.parse(multi(token, multi(nft)))).toMatchObject({
      conditions: [{ type: 'token' }, { conditions: [{ minBalance: '1' }] }],
    });
  });

  it.each<[string, unknown]>([
    ['the largest uint256', { ...token, minBalance: String(2n ** 256n - 1n) }],
    ['erc1155 with ids', { ...nft, standard: 'erc1155', tokenIds: ['0', '1'] }],
    ['ten conditions', multi(...repeat(10, token))],
    ['twenty leaves', multi(multi(...repeat(10, token)), multi(...repeat(10, nft)))],
    ['three levels', multi(multi(multi(token)))],
    ['decimals', { ...token, decimals: 18 }],
    ['a token', { ...token, contractAddress }],
  ])('is valid with %s', (_name, gate) => {
    expect(isValid(gate)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no type', { chainId: 1 }],
    ['an unknown type', { ...nft, type: 'poap' }],
    ['an unknown field', { ...nft, name: 'x' }],
    ['no chain', { ...nft, chainId: undefined }],
    ['a chain id that is text', { ...nft, chainId: '1' }],
    ['a number instead of a string', { ...token, minBalance: 1 }],
    ['a minimum of 0', { ...token, minBalance: '0' }],
    ['a fraction', { ...token, minBalance: '1.5' }],
    ['a negative number', { ...token, minBalance: '-1' }],
    ['hexadecimal digits', { ...token, minBalance: '0x10' }],
    ['leading zeros', { ...token, minBalance: '01' }],
    ['more than a uint256', { ...token, minBalance: String(2n ** 256n) }],
    ['an invalid address', { ...nft, contractAddress: '0x12' }],
    ['an NFT without a contract', { ...nft, contractAddress: null }],
    ['erc1155 without ids', { ...nft, standard: 'erc1155' }],
    ['a repeated token id', { ...nft, tokenIds: ['1', '1'] }],
    ['an empty list of token ids', { ...nft, tokenIds: [] }],
    ['too many token ids', { ...nft, tokenIds: repeat(51, 0).map((_, id) => String(id)) }],
    ['an unknown method', { ...dao, method: 'shares' }],
    ['no conditions', multi()],
    ['eleven conditions', multi(...repeat(11, token))],
    ['an unknown operator', { ...multi(token), operator: 'xor' }],
    ['four levels', multi(multi(multi(multi(token))))],
    ['twenty-one leaves', multi(multi(...repeat(10, token)), multi(...repeat(10, nft)), dao)],
    [
      'too many token ids in total',
      multi(
        ...repeat(5, 0).map((_, leaf) => ({
          ...nft,
          tokenIds: repeat(50, 0).map((_id, id) => String(leaf * 50 + id)),
        })),
      ),
    ],
  ])('is invalid with %s', (_name, gate) => {
    expect(isValid(gate)).toBe(false);
  });

  it('is rejected at any depth without following the nesting', () => {
    let deep: unknown = token;
    for (let depth = 0; depth < 20_000; depth++) deep = multi(deep);
    expect(isValid(deep)).toBe(false);
  });
});
