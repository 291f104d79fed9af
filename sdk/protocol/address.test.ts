import { getAddress } from 'viem/utils';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../test/harness/random.ts';
import { onChain, shortAddress } from './address.ts';
import { checksummed } from './checksum.ts';
import { deletedWallet, isDeletedWallet } from './deleted.ts';
import { evmAddress, notAnAddress, walletAddress } from './common.ts';
import { normalAddress } from './normalAddress.ts';

const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const id = `eip155:137:${address}` as const;

describe('the identity of a wallet', () => {
  it.each([
    [address, address],
    [address.toLowerCase(), address],
    [`0x${address.slice(2).toUpperCase()}`, address],
    [id, id],
    [id.toLowerCase(), id],
    [`EIP155:137:0X${address.slice(2).toUpperCase()}`, id],
    [`eip155:31337:${address}`, `eip155:31337:${address}`],
  ])('is parsed from %s', (text, identity) => {
    expect(walletAddress.parse(text)).toBe(identity);
  });

  it.each([
    '',
    address.slice(0, -1),
    address.replace('d8dA', 'd8da'),
    id.replace('d8dA', 'd8da'),
    `eip155:0:${address}`,
    `eip155:01:${address}`,
    `eip155:-1:${address}`,
    `eip155:1e3:${address}`,
    `eip155:1234567890123456:${address}`,
    `eip155::${address}`,
    `eip155:137:137:${address}`,
    `eip155:137:${address.slice(2)}`,
    ` ${id}`,
    `${id}\n`,
    `${id}/x`,
    `solana:137:${address}`,
    `eip155:137:vitalik.eth`,
    137,
    null,
  ])('is not parsed from %j', (text) => {
    expect(walletAddress.safeParse(text).error?.issues[0]?.message).toBe(notAnAddress);
  });

  it('has no chain in a field that takes only an EVM address', () => {
    expect(evmAddress.parse(address.toLowerCase())).toBe(address);
    expect(evmAddress.safeParse(id).error?.issues[0]?.message).toBe(notAnAddress);
  });

  it('is split into address and chain, and shortened for display', () => {
    expect(onChain(address)).toEqual({ address, chainId: null });
    expect(onChain(id)).toEqual({ address, chainId: 137 });
    expect([address, id].map(shortAddress)).toEqual(['0xd8dA…6045', '0xd8dA…6045 (chain 137)']);
  });
});

describe('the checksum', () => {
  it('is that of viem', () => {
    const random = seeded(5);
    for (let round = 0; round < 200; round++) {
      const digits = Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('');
      const normal = getAddress(`0x${digits}`);
      // The second and third are read from the results that are kept.
      for (const each of [digits, digits, digits.toUpperCase()])
        expect(normalAddress(`0x${each}`)).toBe(normal);
    }
  });
});

it('names the wallets of deleted accounts', () => {
  expect(shortAddress(checksummed(deletedWallet('0f'.repeat(12))))).toBe('Deleted account');
  expect(isDeletedWallet(address)).toBe(false);
});
