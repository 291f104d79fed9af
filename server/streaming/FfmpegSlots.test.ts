import { expect, it } from 'vitest';
import { SharedPlaces } from './FfmpegSlots.ts';

it('a wallet that has its share leaves the rest to others', () => {
  const places = new SharedPlaces(3, 2);
  const first = places.take('0xa', 'one');
  expect(places.take('0xa', 'two')).not.toBeNull();
  expect(places.take('0xa', 'three')).toBeNull();
  expect(places.free).toBe(1);
  expect(places.take('0xb', 'one')).not.toBeNull();
  expect(places.take('0xc', 'one')).toBeNull();
  first?.();
  first?.();
  expect(places.free).toBe(1);
  expect(places.take('0xa', 'three')).not.toBeNull();
});

it('who takes over a piece of work shares its place', () => {
  const places = new SharedPlaces(1, 1);
  const former = places.take('0xa', 'stream');
  const newer = places.take('0xa', 'stream');
  expect(newer).not.toBeNull();
  former?.();
  expect(places.free).toBe(0);
  newer?.();
  expect(places.free).toBe(1);
});
