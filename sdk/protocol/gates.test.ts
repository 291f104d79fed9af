import { describe, expect, it } from 'vitest';
import { gateConfig } from './gates.ts';

const contractAddress = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const nft = { type: 'nft', chainId: 1, contractAddress, standard: 'erc721' };
const token = { type: 'token', chainId: 1, contractAddress: null, minBalance: '1' };
const dao = { type: 'dao', chainId: 1, contractAddress, method: 'votes' };
const multi = (...conditions: unknown[]) => ({ type: 'multi', operator: 'and', conditions });

const fits = (gate: unknown) => gateConfig.safeParse(gate).success;
const times = (count: number, what: unknown) => Array.from({ length: count }, () => what);

describe('a gate', () => {
  it('has its defaults, and addresses with their checksum', () => {
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
    ['the largest number of a chain', { ...token, minBalance: String(2n ** 256n - 1n) }],
    ['erc1155 with ids', { ...nft, standard: 'erc1155', tokenIds: ['0', '1'] }],
    ['ten conditions', multi(...times(10, token))],
    ['twenty leaves', multi(multi(...times(10, token)), multi(...times(10, nft)))],
    ['three deep', multi(multi(multi(token)))],
    ['decimals', { ...token, decimals: 18 }],
    ['a token', { ...token, contractAddress }],
  ])('may have %s', (_what, gate) => {
    expect(fits(gate)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no type', { chainId: 1 }],
    ['another type', { ...nft, type: 'poap' }],
    ['an unknown field', { ...nft, name: 'x' }],
    ['no chain', { ...nft, chainId: undefined }],
    ['a chain that is text', { ...nft, chainId: '1' }],
    ['no number', { ...token, minBalance: 1 }],
    ['nothing as the least', { ...token, minBalance: '0' }],
    ['a fraction', { ...token, minBalance: '1.5' }],
    ['a negative number', { ...token, minBalance: '-1' }],
    ['hexadecimal digits', { ...token, minBalance: '0x10' }],
    ['leading zeros', { ...token, minBalance: '01' }],
    ['more than a chain knows', { ...token, minBalance: String(2n ** 256n) }],
    ['no address', { ...nft, contractAddress: '0x12' }],
    ['an NFT without contract', { ...nft, contractAddress: null }],
    ['erc1155 without ids', { ...nft, standard: 'erc1155' }],
    ['an id twice', { ...nft, tokenIds: ['1', '1'] }],
    ['no ids at all', { ...nft, tokenIds: [] }],
    ['too many ids', { ...nft, tokenIds: times(51, 0).map((_, id) => String(id)) }],
    ['another method', { ...dao, method: 'shares' }],
    ['no conditions', multi()],
    ['eleven conditions', multi(...times(11, token))],
    ['another operator', { ...multi(token), operator: 'xor' }],
    ['four deep', multi(multi(multi(multi(token))))],
    ['twenty-one leaves', multi(multi(...times(10, token)), multi(...times(10, nft)), dao)],
    [
      'too many ids in all',
      multi(
        ...times(5, 0).map((_, leaf) => ({
          ...nft,
          tokenIds: times(50, 0).map((_id, id) => String(leaf * 50 + id)),
        })),
      ),
    ],
  ])('may not have %s', (_what, gate) => {
    expect(fits(gate)).toBe(false);
  });

  it('of any depth is refused without following it', () => {
    let deep: unknown = token;
    for (let depth = 0; depth < 20_000; depth++) deep = multi(deep);
    expect(fits(deep)).toBe(false);
  });
});
