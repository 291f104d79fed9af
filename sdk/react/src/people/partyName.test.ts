import { expect, it } from 'vitest';
import { partyName } from './partyName.ts';

it('names wallets, guests and accounts', () => {
  expect(partyName('0x1234567890abcdef1234567890abcdef1234abcd')).toBe('0x1234…abcd');
  expect(partyName('guest:alice@example.org')).toBe('alice@example.org');
  expect(partyName('account:acc_000000000000000000000000')).toBe('an app');
});
