import { Thread } from '@parley/react';
import type { MessageThread } from '@parley/sdk';
import { useLocation } from 'wouter';
import { formatPhoneNumber } from '../../phone/phoneNumbers.ts';
import { pathOfThread } from './pathOfThread.ts';

/** A thread in the list of conversations. */
export function ThreadItem({ thread, isOpen }: { thread: MessageThread; isOpen: boolean }) {
  const { counterparty, number, lastMessage, unreadCount } = thread;
  const [, navigate] = useLocation();
  const path = pathOfThread(counterparty, number);
  return (
    <li>
      <Thread
        href={path}
        onOpen={() => navigate(path)}
        isOpen={isOpen}
        // Texts that arrive in the open thread count as read immediately.
        unread={isOpen ? 0 : unreadCount}
        title={formatPhoneNumber(counterparty)}
        at={lastMessage.createdAt}
        last={`${lastMessage.direction === 'outbound' ? 'You: ' : ''}${lastMessage.message || 'Image'}`}
        note={`with ${formatPhoneNumber(number)}`}
        data-testid="thread"
        data-counterparty={counterparty}
      />
    </li>
  );
}
