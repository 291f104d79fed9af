import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Nonces } from './Nonces.ts';

const nonces = new Nonces(Buffer.alloc(32, 1));

it('says when it expires, and fits into EIP-4361', () => {
  const { nonce, expiresAt } = nonces.issue(1_000_000);
  expect(nonce).toMatch(/^[a-zA-Z0-9]{57}$/);
  expect(expiresAt).toEqual(new Date(1_300_000));
  expect(nonces.expiryOf(nonce)).toEqual(expiresAt);
});

it('is never the same twice', () => {
  const all = Array.from({ length: 1_000 }, () => nonces.issue(0).nonce);
  expect(new Set(all).size).toBe(1_000);
});

it('knows none that another key made', () => {
  expect(new Nonces(Buffer.alloc(32, 2)).expiryOf(nonces.issue().nonce)).toBeNull();
});

it('knows none in which a character was changed', () => {
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

it('throws at nothing', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 100, unit: 'binary' }), (text) => nonces.expiryOf(text) === null),
  );
  expect(nonces.expiryOf('é'.repeat(57))).toBeNull();
});
