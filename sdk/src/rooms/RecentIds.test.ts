import { expect, it } from 'vitest';
import { RecentIds } from './RecentIds.ts';

it('recognises the latest 500 ids, and no older ones', () => {
  const ids = new RecentIds(['oldest']);
  for (let index = 1; index < 500; index++) ids.add(`${index}`);
  expect([ids.add('oldest'), ids.add('latest')]).toEqual([false, true]);
  expect([ids.has('oldest'), ids.has('1'), ids.has('latest')]).toEqual([false, true, true]);
});

it('drops the ids of things that are gone, and none of things that are only older', () => {
  const ids = () => new RecentIds(['1', '2', '3', '4']);
  expect(ids().keepOnly(new Set(['2', '4', '5']), true)).toEqual(['1', '3']);
  expect(ids().keepOnly(new Set(['2', '4', '5']), false)).toEqual(['3']);
  expect(ids().keepOnly(new Set(['5']), false)).toEqual([]);
  const all = ids();
  expect(all.keepOnly(new Set(), true)).toEqual(['1', '2', '3', '4']);
  expect(all.has('1')).toBe(false);
});
