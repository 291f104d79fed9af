import { expect, it } from 'vitest';
import { ConsumerLoad } from './ConsumerLoad.ts';

it('counts the consumers of a peer with many as small videos, and forgets closed ones', () => {
  const load = new ConsumerLoad();
  let sum = 0;
  for (let count = 0; count < 20; count++) sum += load.add('few');
  expect([load.total, sum]).toEqual([20, 20]);
  for (let count = 0; count < 60; count++) sum += load.add('many');
  expect(load.total).toBeCloseTo(20 + 60 / 5);
  expect(sum).toBeCloseTo(load.total);
  for (let count = 0; count < 60; count++) load.remove('many');
  expect(load.total).toBeCloseTo(20);
});
