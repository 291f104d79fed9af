import { expect, it } from 'vitest';
import { onlyKey } from './keys.ts';
import { seal, unseal } from './seal.ts';

const [first, second] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const keys = onlyKey(first);

it('opens with the same key and place', () => {
  const sealed = seal('{"secret":"é"}', keys, 'here');
  expect(unseal(sealed, keys, 'here')).toBe('{"secret":"é"}');
  expect(sealed.toString('latin1')).not.toContain('secret');
  // The nonce differs each time.
  expect(seal('{"secret":"é"}', keys, 'here').equals(sealed)).toBe(false);
});

it('does not open with another key, in another place or after a byte was changed', () => {
  const sealed = seal('text', keys, 'here');
  expect(() => unseal(sealed, onlyKey(second), 'here')).toThrow();
  expect(() => unseal(sealed, keys, 'there')).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    expect(() => unseal(changed, keys, 'here')).toThrow();
  }
  expect(() => unseal(Buffer.alloc(5), keys, 'here')).toThrow();
});

it('opens what an earlier key has sealed, and seals with the first key', () => {
  const both = () => [second, first] as const;
  expect(unseal(seal('text', keys, 'here'), both, 'here')).toBe('text');
  expect(unseal(seal('text', both, 'here'), onlyKey(second), 'here')).toBe('text');
});
