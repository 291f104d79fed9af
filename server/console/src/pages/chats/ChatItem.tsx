import { Ago, Identicon, useStore } from '@parley/react';
import { Badge, Text } from '@mantine/core';
import { shortAddress, type Conversation } from '@parley/sdk';
import { Link } from 'wouter';
import classes from '../../conversation/Conversation.module.css';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { counted } from '../../ui/numbers.ts';
import own from './Chats.module.css';
import { messagePreview } from './messagePreview.ts';

/** A conversation in the list of chats. */
export function ChatItem({ conversation, isOpen }: { conversation: Conversation; isOpen: boolean }) {
  const { with: peer, lastMessage, unreadCount, updatedAt } = conversation;
  const { chats } = useWalletData();
  const isTyping = useStore(chats.typing).has(peer);
  return (
    <li>
      <Link
        href={`/chats/${peer}`}
        className={`${classes['thread']} ${own['item']}`}
        aria-current={isOpen ? 'true' : undefined}
        data-testid="chat"
        data-peer={peer}
        data-unread={unreadCount}
      >
        <Identicon address={peer} size={40} />
        <span className={own['details']}>
          <span className={classes['line']}>
            <strong className={own['address']}>{shortAddress(peer)}</strong>
            {updatedAt && (
              <Text span size="xs" c="dimmed">
                <Ago at={updatedAt} />
              </Text>
            )}
          </span>
          <span className={classes['line']}>
            <span className={classes['last']}>
              {isTyping ? <em>typing…</em> : lastMessage && messagePreview(lastMessage, chats.own)}
            </span>
            {unreadCount > 0 && (
              <Badge
                circle={unreadCount < 10}
                size="sm"
                flex="none"
                aria-label={counted(unreadCount, 'unread message')}
              >
                {unreadCount > 99 ? '99+' : unreadCount}
              </Badge>
            )}
          </span>
        </span>
      </Link>
    </li>
  );
}
