import { afterAll, beforeAll, expect, it } from 'vitest';
import { entryPoints } from '../../fuzz/entryPoints.ts';
import { openTarget, type Target } from '../../fuzz/openTarget.ts';
import { fuzzEntryPoint } from '../../fuzz/run.ts';
import { closeSockets } from '../support.ts';

/* A short round of `npm run fuzz`, with inputs that are always the same: that it works, and that every door stands it. */

const seed = 20_261_123;
const count = 32;

let target: Target;

beforeAll(async () => {
  // A cluster has every door.
  target = await openTarget({ isCluster: true });
});
afterAll(async () => {
  closeSockets();
  await target?.close();
});

it.each(Object.entries(entryPoints))('%s', async (name, open) => {
  const { inputs, kinds, violations } = await fuzzEntryPoint(target, [name, open], { seed, count });
  expect(violations).toEqual([]);
  expect(inputs).toBe(count);
  // Not all of them end in the same way: then they would not get far.
  expect(kinds.size).toBeGreaterThan(1);
});
