import { Badge, Text } from '@mantine/core';
import type { MessageThread } from '@parley/sdk';
import { Link } from 'wouter';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { Ago } from '../../ui/Ago.tsx';
import { counted } from '../../ui/numbers.ts';
import classes from '../../conversation/Conversation.module.css';
import { pathOfThread } from './pathOfThread.ts';

/** A thread in the list of conversations. */
export function ThreadItem({ thread, isOpen }: { thread: MessageThread; isOpen: boolean }) {
  const { counterparty, number, lastMessage, unreadCount } = thread;
  // Texts that arrive in the open thread count as read immediately.
  const unread = isOpen ? 0 : unreadCount;
  return (
    <li>
      <Link
        href={pathOfThread(counterparty, number)}
        className={classes['thread']}
        aria-current={isOpen ? 'true' : undefined}
        data-testid="thread"
        data-counterparty={counterparty}
        data-unread={unread}
      >
        <span className={classes['line']}>
          <strong className={classes['who']}>{formatPhoneNumber(counterparty)}</strong>
          <Text span size="xs" c="dimmed">
            <Ago at={lastMessage.createdAt} />
          </Text>
        </span>
        <span className={classes['line']}>
          <span className={classes['last']}>
            {lastMessage.direction === 'outbound' && 'You: '}
            {lastMessage.message || 'Image'}
          </span>
          {unread > 0 && (
            <Badge
              circle={unread < 10}
              size="sm"
              flex="none"
              aria-label={`${counted(unread, 'unread message')}`}
            >
              {unread}
            </Badge>
          )}
        </span>
        <Text span size="xs" c="dimmed">
          with {formatPhoneNumber(number)}
        </Text>
      </Link>
    </li>
  );
}
