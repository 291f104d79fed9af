import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Nonces } from './Nonces.ts';
import { onlyKey } from '../../platform/keys.ts';

const nonces = new Nonces(onlyKey(Buffer.alloc(32, 1)));

it('issues nonces that EIP-4361 allows and that contain their expiry', () => {
  const { nonce, expiresAt } = nonces.issue(1_000_000);
  expect(nonce).toMatch(/^[a-zA-Z0-9]{57}$/);
  expect(expiresAt).toEqual(new Date(1_300_000));
  expect(nonces.expiryOf(nonce)).toEqual(expiresAt);
});

it('issues unique nonces', () => {
  const all = Array.from({ length: 1_000 }, () => nonces.issue(0).nonce);
  expect(new Set(all).size).toBe(1_000);
});

it('refuses a nonce that was issued with another key', () => {
  expect(new Nonces(onlyKey(Buffer.alloc(32, 2))).expiryOf(nonces.issue().nonce)).toBeNull();
});

it('refuses a nonce with a changed character', () => {
  const { nonce } = nonces.issue();
  fc.assert(
    fc.property(
      fc.nat(nonce.length - 1),
      fc.string({ minLength: 1, maxLength: 2, unit: 'binary' }),
      (index, other) => {
        const changed = nonce.slice(0, index) + other + nonce.slice(index + 1);
        fc.pre(changed !== nonce);
        expect(nonces.expiryOf(changed)).toBeNull();
      },
    ),
    { numRuns: 1_000 },
  );
});

it('does not throw for any text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: 'binary' }), (text) => nonces.expiryOf(text) === null),
  );
  expect(nonces.expiryOf('é'.repeat(57))).toBeNull();
});
