import { IconArrowDown } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { onDay } from '../core/format.ts';
import { Button } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Conversation.module.css';
import { useScrollAnchor } from './useScrollAnchor.ts';

interface Props<Item> {
  /** Latest first, as the server lists them. */
  messages: Item[];
  writtenAt: (message: Item) => Date;
  /** Loads older messages. Without it, `messages` are all. */
  older?: { hasMore: boolean; isLoadingMore: boolean; more: () => Promise<unknown> };
  /** Called when the user scrolls near the oldest message. */
  onNearStart?: () => void;
  /** Renders a bubble. */
  children: (message: Item) => ReactNode;
}

/** Lists messages, the latest at the bottom. Keeps the scroll position when older or newer messages arrive. */
export function Bubbles<Item extends { id: string }>(props: Props<Item>) {
  const { messages, writtenAt, older, onNearStart, children } = props;
  const words = useWords().conversation;
  const { frame, onScroll, hasNew, toEnd } = useScrollAnchor(messages, onNearStart);
  const inOrder = [...messages].reverse();
  return (
    <div className={classes['middle']}>
      <div
        ref={frame}
        className={classes['bubbles']}
        onScroll={onScroll}
        role="log"
        aria-label={words.messages}
        tabIndex={0}
        data-testid="messages"
      >
        {older?.hasMore && (
          <div className={classes['day']}>
            <Button
              variant="outline"
              size="sm"
              isLoading={older.isLoadingMore}
              onClick={() => void older.more()}
              data-testid="earlier"
            >
              {words.older}
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
          size="sm"
          className={classes['toEnd']}
          icon={<IconArrowDown size={16} aria-hidden />}
          onClick={toEnd}
          data-testid="new-below"
        >
          {words.newBelow}
        </Button>
      )}
    </div>
  );
}
