import { Button } from '@mantine/core';
import type { TextMessage } from '@parley/sdk';
import { IconArrowDown } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { onDay } from '../../ui/numbers.ts';
import { Bubble } from './Bubble.tsx';
import classes from './Messages.module.css';
import { useKeptPlace } from './useKeptPlace.ts';

interface Props {
  /** The latest first, as the server lists them. */
  messages: TextMessage[];
  /** The way to what was written before. */
  earlier: ReactNode;
}

/** The latest at the bottom. Whoever reads further up stays there, whatever comes in above or below. */
export function Bubbles({ messages, earlier }: Props) {
  const { frame, onScroll, hasNew, toEnd } = useKeptPlace(messages);
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
        {earlier && <div className={classes['day']}>{earlier}</div>}
        {inOrder.map((message, index) => {
          const day = onDay(message.createdAt);
          const before = inOrder[index - 1];
          return (
            <Fragment key={message.id}>
              {(!before || onDay(before.createdAt) !== day) && <div className={classes['day']}>{day}</div>}
              <Bubble message={message} />
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
