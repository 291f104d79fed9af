import { expect, test } from 'vitest';
import { identityOf } from './identity.ts';

const address = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

test('gives an address the same avatar in upper and lower case, and other addresses other avatars', () => {
  expect(identityOf(address.toLowerCase())).toEqual(identityOf(address));
  expect(identityOf('0x52908400098527886E0F7030069857D2E4169EE7')).not.toEqual(identityOf(address));
});

test('gives guests different avatars', () => {
  const looks = ['guest:alice', 'guest:bob', 'guest:alice2'].map(identityOf);
  expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(looks.length);
  expect(identityOf('guest:alice')).toEqual(looks[0]);
});

test('gives contract wallets with the same address on different chains different avatars', () => {
  const looks = [address, `eip155:1:${address}`, `eip155:137:${address}`, `eip155:8453:${address}`].map(
    identityOf,
  );
  expect(new Set(looks.map((look) => JSON.stringify(look))).size).toBe(looks.length);
});
