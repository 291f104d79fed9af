import { IconArrowDown } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { onDay } from '../core/format.ts';
import { useBrowserLayoutEffect } from '../core/useBrowserLayoutEffect.ts';
import { useIsBrowser } from '../core/useSupport.ts';
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
  /** Loads newer messages, if `messages` do not end with the latest. */
  newer?: { hasMore: boolean; more: () => Promise<unknown>; toLatest: () => Promise<unknown> };
  /** The id of the message to scroll to and focus: its element has it as `data-message`. */
  target?: string | null;
  /** Called when the target is in view. */
  onTarget?: () => void;
  /** Called when the user scrolls near the oldest message. */
  onNearStart?: () => void;
  /** Renders a bubble. */
  children: (message: Item) => ReactNode;
}

/** Lists messages, the latest at the bottom. Keeps the scroll position when older or newer messages arrive. */
export function Bubbles<Item extends { id: string }>(props: Props<Item>) {
  const { messages, writtenAt, older, newer, target, onTarget, onNearStart, children } = props;
  const words = useWords().conversation;
  const isBrowser = useIsBrowser();
  const hasNewer = newer?.hasMore ?? false;
  const { frame, onScroll, hasNew, toEnd } = useScrollAnchor(messages, {
    onNearStart,
    ...(hasNewer && { onNearEnd: () => void newer?.more() }),
  });
  useBrowserLayoutEffect(() => {
    if (target && frame.current && showIn(frame.current, target)) onTarget?.();
  }, [target, messages, frame, onTarget]);
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
          const isFirstOfDay = !before || onDay(writtenAt(before)) !== day;
          return (
            <Fragment key={message.id}>
              {isBrowser && isFirstOfDay && <div className={classes['day']}>{day}</div>}
              {children(message)}
            </Fragment>
          );
        })}
      </div>
      {hasNewer && (
        <Button
          size="sm"
          className={classes['toEnd']}
          icon={<IconArrowDown size={16} aria-hidden />}
          onClick={() => void newer?.toLatest().then(toEnd)}
          data-testid="to-latest"
        >
          {words.toLatest}
        </Button>
      )}
      {hasNew && !hasNewer && (
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

/** Scrolls a message into the middle of the list, focuses and highlights it. @returns false if it is not in the list */
function showIn(frame: HTMLElement, id: string): boolean {
  const message = frame.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`);
  if (!message) return false;
  const [outer, inner] = [frame.getBoundingClientRect(), message.getBoundingClientRect()];
  frame.scrollTop += inner.top - outer.top - Math.max(0, outer.height - inner.height) / 2;
  message.focus({ preventScroll: true });
  message.animate([{ background: 'var(--parley-tint-hover)' }, { background: 'transparent' }], 2_500);
  return true;
}
