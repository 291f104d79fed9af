import { expect, it } from 'vitest';
import { coalesced } from './coalesced.ts';

it('runs once more for all calls during a run, and again for later calls', async () => {
  const finish: (() => void)[] = [];
  const ask = coalesced(() => new Promise((resolve) => finish.push(resolve)));
  const all = [ask(), ask(), ask()];
  expect(finish).toHaveLength(1);
  finish[0]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(finish).toHaveLength(2);
  finish[1]?.();
  await Promise.all(all);
  void ask();
  expect(finish).toHaveLength(3);
});
