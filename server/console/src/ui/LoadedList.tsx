import { useKeptFocus } from '@parley/react';
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { List } from '../data/useList.ts';
import { LoadedValue } from './LoadedValue.tsx';

interface Props<Item> {
  list: List<Item>;
  /** What the list contains, in plain text for screen readers, for example "your numbers". */
  what: string;
  rows?: number;
  rowHeight?: number;
  /** Shown for an empty list. */
  empty: ReactNode;
  /** The label of the button for the next page. */
  more?: string;
  className?: string | undefined;
  /** Renders an item as a list item with a key. */
  children?: (item: Item) => ReactNode;
  /** Renders all items, if they need more than one list. */
  render?: (items: Item[]) => ReactNode;
}

/** A list with its loading, error and empty states and the button for the next page. */
export function LoadedList<Item>(props: Props<Item>) {
  const { list, what, rows = 3, rowHeight = 72, empty, more = 'Show more', className, children } = props;
  const { render = (items) => <ul className={className}>{children && items.map(children)}</ul> } = props;
  const box = useKeptFocus<HTMLDivElement>();
  return (
    <div
      ref={box}
      tabIndex={-1}
      style={{ display: 'flex', flexDirection: 'column', gap: 'inherit', minWidth: 0, outline: 'none' }}
    >
      <LoadedValue of={list} what={what} rows={rows} rowHeight={rowHeight}>
        {(items) => (items.length > 0 ? render(items) : empty)}
      </LoadedValue>
      {list.hasMore && (
        <Button
          variant="default"
          fullWidth
          mt="sm"
          loading={list.isLoadingMore}
          onClick={() => void list.more()}
          data-testid="list-more"
        >
          {more}
        </Button>
      )}
    </div>
  );
}
