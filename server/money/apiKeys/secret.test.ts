import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hashSecret, looksLikeSecret, newSecret, prefixOf } from './secret.ts';

it('has the documented form', () => {
  const secret = newSecret();
  expect(secret).toMatch(/^svc_live_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
  expect(prefixOf(secret)).toMatch(/^svc_live_[0-9A-Za-z]{6}$/);
  expect(looksLikeSecret(secret)).toBe(true);
});

it('ends with the CRC-32 of all preceding characters, in base 62', () => {
  // Computed with Python's zlib.crc32.
  expect(looksLikeSecret('svc_live_0123456789abcdefABCDEF01234567894XN6XX')).toBe(true);
});

it('detects any changed character', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  fc.assert(
    fc.property(fc.nat(37), fc.nat(60), (at, shift) => {
      const secret = newSecret();
      const index = 'svc_live_'.length + at;
      const changed = alphabet.charAt((alphabet.indexOf(secret.charAt(index)) + 1 + shift) % 62);
      expect(looksLikeSecret(secret.slice(0, index) + changed + secret.slice(index + 1))).toBe(false);
    }),
  );
});

it.each(['', 'svc_live_', 'svc_test_abc', `${newSecret()}0`, newSecret().toUpperCase(), `x${newSecret()}`])(
  'refuses %s',
  (text) => expect(looksLikeSecret(text)).toBe(false),
);

it('has a different hash with a different pepper', () => {
  const secret = newSecret();
  expect(hashSecret(secret, Buffer.from('a'))).not.toBe(hashSecret(secret, Buffer.from('b')));
});
