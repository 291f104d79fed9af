import { expect, it } from 'vitest';
import { RecentIds } from './RecentIds.ts';

it('recognises the latest 500 ids, and no older ones', () => {
  const ids = new RecentIds(['oldest']);
  for (let index = 1; index < 500; index++) ids.add(`${index}`);
  expect([ids.add('oldest'), ids.add('latest')]).toEqual([false, true]);
  expect([ids.has('oldest'), ids.has('1'), ids.has('latest')]).toEqual([false, true, true]);
});
