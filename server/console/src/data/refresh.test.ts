import type { Parley } from '@parley/sdk';
import { InfiniteQueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { createQueries } from './createQueries.ts';
import { createQueryClient } from './createQueryClient.ts';
import { refresh } from './refresh.ts';
import { loadNextPage } from './useList.ts';

/** A list of the server with two items per page, shown by a component. Each read waits until it is let through. */
async function shownList(items: number[]) {
  const reads: (() => void)[] = [];
  const list = async ({ cursor = '0' }: { cursor?: string }) => {
    await new Promise<void>((resolve) => reads.push(resolve));
    const from = Number(cursor);
    const data = items.slice(from, from + 2).map((id) => ({ id: `${id}` }));
    return { data, nextCursor: from + 2 < items.length ? `${from + 2}` : null };
  };
  const client = { apiKeys: { list } } as unknown as Parley;
  const queryClient = createQueryClient();
  const observer = new InfiniteQueryObserver(queryClient, createQueries(client).keys);
  observer.subscribe(() => undefined);
  /** Lets through the reads that are waiting, and those that follow them. */
  const settle = async () => {
    do {
      reads.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    } while (reads.length > 0);
  };
  await settle();
  return {
    queryClient,
    observer,
    settle,
    reads,
    ids: () => observer.getCurrentResult().data?.map(({ id }) => Number(id)),
  };
}

it('reads once more for all events during a read', async () => {
  const items = [2, 1];
  const { queryClient, settle, reads, ids } = await shownList(items);
  const first = refresh(queryClient, 'keys');
  await vi.waitUntil(() => reads.length === 1);
  items.unshift(3);
  const all = [first, refresh(queryClient, 'keys'), refresh(queryClient, 'keys')];
  reads.shift()?.();
  await vi.waitUntil(() => reads.length === 1);
  items.unshift(4);
  await settle();
  await Promise.all(all);
  expect(ids()).toEqual([4, 3]);
});

it('reads all loaded pages again, and lists an item that has moved once', async () => {
  const items = [5, 4, 3, 2, 1];
  const { queryClient, observer, settle, reads, ids } = await shownList(items);
  const more = loadNextPage(observer.getCurrentResult());
  await settle();
  await more;
  expect(ids()).toEqual([5, 4, 3, 2]);
  const again = refresh(queryClient, 'keys');
  await vi.waitUntil(() => reads.length === 1);
  reads.shift()?.();
  await vi.waitUntil(() => reads.length === 1);
  // The item 2 moves to the front after the first page has been read, so 4 is on both pages.
  items.unshift(...items.splice(3, 1));
  await settle();
  await again;
  expect(ids()).toEqual([5, 4, 3]);
});

it('loads the next page during a read, which is repeated', async () => {
  const items = [4, 3, 2, 1];
  const { queryClient, observer, settle, reads, ids } = await shownList(items);
  items.unshift(5);
  const again = refresh(queryClient, 'keys');
  await vi.waitUntil(() => reads.length === 1);
  const more = loadNextPage(observer.getCurrentResult());
  await settle();
  await Promise.all([again, more]);
  expect(ids()).toEqual([5, 4, 3, 2]);
});

it('does not cancel the loading of the next page', async () => {
  const items = [4, 3, 2, 1];
  const { queryClient, observer, settle, reads, ids } = await shownList(items);
  const more = loadNextPage(observer.getCurrentResult());
  await vi.waitUntil(() => reads.length === 1);
  items.unshift(5);
  const again = refresh(queryClient, 'keys');
  await settle();
  await Promise.all([again, more]);
  expect(ids()).toEqual([5, 4, 3, 2]);
});
