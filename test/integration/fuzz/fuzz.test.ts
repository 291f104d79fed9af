import { afterAll, beforeAll, expect, it } from 'vitest';
import { entryPoints } from '../../fuzz/entryPoints.ts';
import { openTarget, type Target } from '../../fuzz/openTarget.ts';
import { fuzzEntryPoint } from '../../fuzz/run.ts';
import { closeSockets } from '../support.ts';

/* A short run of `npm run fuzz` with a fixed seed. It checks that the fuzzer works, and that every entry point withstands the inputs. */

const seed = 20_261_123;
const count = 32;

let target: Target;

beforeAll(async () => {
  // A cluster has every entry point.
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
  // If all inputs had the same outcome, the entry point's first check would have rejected every one of them.
  expect(kinds.size).toBeGreaterThan(1);
});
