import { useInfiniteQuery, type InfiniteQueryObserverResult } from '@tanstack/react-query';
import { explain } from '../ui/explain.ts';
import type { ListQuery } from './createQueries.ts';
import type { Loaded, LoadOptions } from './useLoaded.ts';

export interface List<Item> extends Loaded<Item[]> {
  hasMore: boolean;
  isLoadingMore: boolean;
  more: () => Promise<unknown>;
}

/** With more pages, a list is not read again when the user returns to the window, because that takes one request per page. */
const mostPagesOnFocus = 3;

/** A list of the server, with the pages that the user has loaded. */
export function useList<Item extends { id: string }>(
  query: ListQuery<Item>,
  options: LoadOptions = {},
): List<Item> {
  const { everyMs = false, isRead = true } = options;
  const result = useInfiniteQuery({
    ...query,
    enabled: isRead,
    // All loaded pages are read again, so more pages mean a longer interval and not more requests.
    refetchInterval: ({ state }) => everyMs && everyMs * (state.data?.pages.length ?? 1),
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 1) <= mostPagesOnFocus,
  });
  const { data, error, isLoading, isRefetching, isFetchingNextPage, hasNextPage, refetch } = result;
  return {
    value: data ?? null,
    isLoading,
    isRefreshing: isRefetching,
    isLoadingMore: isFetchingNextPage,
    hasMore: hasNextPage,
    problem: error && explain(error),
    refresh: refetch,
    more: () => loadNextPage(result),
  };
}

/** Loads the next page, also while the list is being read again: that read is cancelled, and repeated afterwards. */
export async function loadNextPage(
  list: Pick<InfiniteQueryObserverResult, 'isRefetching' | 'fetchNextPage' | 'refetch'>,
): Promise<void> {
  await list.fetchNextPage();
  if (list.isRefetching) await list.refetch();
}
