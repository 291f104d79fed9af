import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ListState, PagedList } from '../data/PagedList.ts';
import { LoadingRows } from './LoadingRows.tsx';
import { ProblemAlert } from './ProblemAlert.tsx';

interface Props<Item extends { id: string }> {
  list: PagedList<Item>;
  state: ListState<Item>;
  /** Its items, for who waits for them: "your numbers". */
  what: string;
  rows?: number;
  rowHeight?: number;
  /** Says that there are none. */
  empty: ReactNode;
  more: string;
  children: (items: Item[]) => ReactNode;
}

/** What every list has around its items: the wait, the failure, the void, and the way to the next page. */
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
