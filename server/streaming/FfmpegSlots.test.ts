import { expect, it } from 'vitest';
import { SharedSlots } from './FfmpegSlots.ts';

it('limits a wallet to its share of the slots', () => {
  const slots = new SharedSlots(3, 2);
  const first = slots.take('0xa', 'one');
  expect(slots.take('0xa', 'two')).not.toBeNull();
  expect(slots.take('0xa', 'three')).toBeNull();
  expect(slots.free).toBe(1);
  expect(slots.take('0xb', 'one')).not.toBeNull();
  expect(slots.take('0xc', 'one')).toBeNull();
  first?.();
  first?.();
  expect(slots.free).toBe(1);
  expect(slots.take('0xa', 'three')).not.toBeNull();
});

it('shares a slot if the same work takes it again', () => {
  const slots = new SharedSlots(1, 1);
  const former = slots.take('0xa', 'stream');
  const newer = slots.take('0xa', 'stream');
  expect(newer).not.toBeNull();
  former?.();
  expect(slots.free).toBe(0);
  newer?.();
  expect(slots.free).toBe(1);
});
