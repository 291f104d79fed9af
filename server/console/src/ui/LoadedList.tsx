import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ListState, PagedList } from '../data/PagedList.ts';
import { LoadingRows } from './LoadingRows.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

interface Props<Item extends { id: string }> {
  list: PagedList<Item>;
  state: ListState<Item>;
  /** What the list contains, in plain text for screen readers, for example "your numbers". */
  what: string;
  rows?: number;
  rowHeight?: number;
  /** Shown for an empty list. */
  empty: ReactNode;
  more: string;
  children: (items: Item[]) => ReactNode;
}

/** A paged list with its loading, error and empty states and the button for the next page. */
export function LoadedList<Item extends { id: string }>(props: Props<Item>) {
  const { list, state, what, rows = 3, rowHeight = 72, empty, more, children } = props;
  const { items, hasMore, isLoading, isLoadingMore, problem } = state;
  return (
    <>
      {problem && <ProblemAlert problem={problem} onRetry={() => void list.refresh()} />}
      {items === null && isLoading && <LoadingRows what={what} rows={rows} height={rowHeight} />}
      {items?.length === 0 && empty}
      {items !== null && items.length > 0 && children(items)}
      {hasMore && (
        <Button variant="default" fullWidth mt="sm" loading={isLoadingMore} onClick={() => void list.more()}>
          {more}
        </Button>
      )}
    </>
  );
}
