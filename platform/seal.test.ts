import { expect, it } from 'vitest';
import { seal, unseal } from './seal.ts';

const key = Buffer.alloc(32, 1);

it('opens with the same key and place', () => {
  const sealed = seal('{"secret":"é"}', key, 'here');
  expect(unseal(sealed, key, 'here')).toBe('{"secret":"é"}');
  expect(sealed.toString('latin1')).not.toContain('secret');
  // The nonce differs each time.
  expect(seal('{"secret":"é"}', key, 'here').equals(sealed)).toBe(false);
});

it('does not open with another key, in another place or after a byte was changed', () => {
  const sealed = seal('text', key, 'here');
  expect(() => unseal(sealed, Buffer.alloc(32, 2), 'here')).toThrow();
  expect(() => unseal(sealed, key, 'there')).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => unseal(changed, key, 'here')).toThrow();
  }
  expect(() => unseal(Buffer.alloc(5), key, 'here')).toThrow();
});
