import { expect, it } from 'vitest';
import { PagedList } from './PagedList.ts';

/** A fake list of the server, with two rows per page. The ids are descending numbers. */
function listOf(rows: number[]) {
  const list = new PagedList(async (cursor) => {
    const from = cursor === undefined ? 0 : rows.findIndex((row) => row < Number(cursor));
    const shown = await Promise.resolve(rows.slice(from, from + 2));
    const hasMore = from + 2 < rows.length;
    return {
      data: shown.map((id) => ({ id: `${id}` })),
      hasMore,
      nextCursor: hasMore ? `${shown.at(-1)}` : null,
    };
  });
  return { list, ids: () => list.store.get().items?.map(({ id }) => Number(id)) };
}

it('loads one page at a time until the end', async () => {
  const { list, ids } = listOf([5, 4, 3, 2, 1]);
  await list.refresh();
  expect(ids()).toEqual([5, 4]);
  await list.more();
  await list.more();
  expect(ids()).toEqual([5, 4, 3, 2, 1]);
  expect(list.store.get().hasMore).toBe(false);
});

it('keeps the loaded rows on refresh', async () => {
  const rows = [5, 4, 3, 2, 1];
  const { list, ids } = listOf(rows);
  await list.refresh();
  await list.more();
  rows.unshift(6);
  await list.refresh();
  expect(ids()).toEqual([6, 5, 4, 3, 2]);
  await list.more();
  expect(ids()).toEqual([6, 5, 4, 3, 2, 1]);
});

it('starts over if new rows would leave a gap', async () => {
  const rows = [2, 1];
  const { list, ids } = listOf(rows);
  await list.refresh();
  rows.unshift(6, 5, 4, 3);
  await list.refresh();
  expect(ids()).toEqual([6, 5]);
  await list.more();
  await list.more();
  expect(ids()).toEqual([6, 5, 4, 3, 2, 1]);
});

it('loads the next page during a refresh', async () => {
  const rows = [5, 4, 3, 2, 1];
  const { list, ids } = listOf(rows);
  await list.refresh();
  rows.unshift(6);
  await Promise.all([list.refresh(), list.more()]);
  expect(ids()).toEqual([6, 5, 4, 3, 2]);
  expect(list.store.get()).toMatchObject({ isLoading: false, isLoadingMore: false, hasMore: true });
});

it('reports an error and keeps the loaded rows', async () => {
  let fails = false;
  const list = new PagedList(() =>
    fails
      ? Promise.reject(new Error('no'))
      : Promise.resolve({ data: [{ id: '1' }], hasMore: false, nextCursor: null }),
  );
  await list.refresh();
  fails = true;
  await list.refresh();
  expect(list.store.get()).toMatchObject({
    items: [{ id: '1' }],
    isLoading: false,
    problem: { code: 'UNKNOWN' },
  });
});

it('moves a row to the front when it has moved on the server', async () => {
  const rows = [[5, 4], [3, 2], [1]].flat().map(String);
  const list = new PagedList(async (cursor) => {
    const from = cursor === undefined ? 0 : rows.indexOf(cursor) + 1;
    const data = await Promise.resolve(rows.slice(from, from + 2).map((id) => ({ id })));
    const hasMore = from + 2 < rows.length;
    return { data, hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null };
  });
  const ids = () =>
    list.store
      .get()
      .items?.map(({ id }) => id)
      .join('');
  await list.refresh();
  await list.more();
  expect(ids()).toBe('5432');
  rows.unshift(...rows.splice(3, 1));
  await list.refresh();
  expect(ids()).toBe('2543');
});
