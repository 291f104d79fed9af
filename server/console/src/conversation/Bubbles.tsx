import { Button } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import type { List } from '../data/useList.ts';
import { onDay } from '../ui/numbers.ts';
import classes from './Conversation.module.css';
import { useScrollAnchor } from './useScrollAnchor.ts';

interface Props<Item> {
  /** Latest first, as the server lists them. */
  messages: Item[];
  writtenAt: (message: Item) => Date;
  /** Loads older messages. Without it, `messages` are all. */
  older?: Pick<List<Item>, 'hasMore' | 'isLoadingMore' | 'more'>;
  /** Called when the user scrolls near the oldest message. */
  onNearStart?: () => void;
  /** Renders a bubble. */
  children: (message: Item) => ReactNode;
}

/** Lists messages, the latest at the bottom. Keeps the scroll position when older or newer messages arrive. */
export function Bubbles<Item extends { id: string }>(props: Props<Item>) {
  const { messages, writtenAt, older, onNearStart, children } = props;
  const { frame, onScroll, hasNew, toEnd } = useScrollAnchor(messages, onNearStart);
  const inOrder = messages.toReversed();
  return (
    <div className={classes['middle']}>
      <div
        ref={frame}
        className={classes['bubbles']}
        onScroll={onScroll}
        role="log"
        aria-label="Messages"
        tabIndex={0}
        data-testid="messages"
      >
        {older?.hasMore && (
          <div className={classes['day']}>
            <Button
              variant="default"
              size="compact-md"
              loading={older.isLoadingMore}
              onClick={() => void older.more()}
              data-testid="earlier"
            >
              Show older messages
            </Button>
          </div>
        )}
        {inOrder.map((message, index) => {
          const day = onDay(writtenAt(message));
          const before = inOrder[index - 1];
          return (
            <Fragment key={message.id}>
              {(!before || onDay(writtenAt(before)) !== day) && <div className={classes['day']}>{day}</div>}
              {children(message)}
            </Fragment>
          );
        })}
      </div>
      {hasNew && (
        <Button
          size="compact-md"
          radius="xl"
          className={classes['toEnd'] ?? ''}
          leftSection={<IconArrowDown size={16} />}
          onClick={toEnd}
          data-testid="new-below"
        >
          New message
        </Button>
      )}
    </div>
  );
}
