import type { Conversation } from '@parley/sdk';
import { IconMessageCircle, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Thread } from '../conversation/Thread.tsx';
import { useServices } from '../core/ParleyProvider.tsx';
import { useStore } from '../core/Store.ts';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Empty } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Chats.module.css';
import { ChatSearch } from './ChatSearch.tsx';
import { createChats } from './ChatsController.ts';
import { messagePreview } from './messagePreview.ts';
import { useConversations } from './useChat.ts';

interface Props {
  /** Opens a chat. */
  onOpen: (address: string) => void;
  /** The wallet whose chat is open; it is marked. */
  open?: string | undefined;
  /** The address of the page with a chat, so that it can be opened in a new tab. @default `#` and the wallet */
  hrefOf?: (address: string) => string;
}

/** The chats of the signed-in wallet, latest first, with a search in all of them. */
export function ConversationList({ onOpen, open, hrefOf = (address) => `#${address}` }: Props) {
  const { conversations, hasMore, isLoadingMore, problem, refresh, more } = useConversations();
  const { chats: words, common } = useWords();
  const [isSearching, setSearching] = useState(false);
  return (
    <div className={classes['conversations']}>
      {problem && <ProblemAlert problem={problem} onRetry={() => void refresh()} />}
      {!conversations && !problem && (
        <div className={classes['loading']} role="status">
          <Spinner /> {common.loading}
        </div>
      )}
      {conversations?.length === 0 && (
        <Empty icon={IconMessageCircle} title={words.none}>
          {words.noneHint}
        </Empty>
      )}
      {conversations && conversations.length > 0 && (
        <Button
          variant="subtle"
          size="sm"
          className={classes['searchAll']}
          icon={<IconSearch size={16} aria-hidden />}
          aria-expanded={isSearching}
          onClick={() => setSearching(!isSearching)}
          data-testid="search-all"
        >
          {isSearching ? words.closeSearch : words.searchAll}
        </Button>
      )}
      {isSearching ? (
        <ChatSearch onOpen={onOpen} />
      ) : (
        <ul className={classes['list']}>
          {conversations?.map((each) => (
            <Item
              key={each.id}
              conversation={each}
              isOpen={each.with === open}
              href={hrefOf(each.with)}
              onOpen={() => onOpen(each.with)}
            />
          ))}
        </ul>
      )}
      {!isSearching && hasMore && (
        <Button variant="outline" size="sm" isLoading={isLoadingMore} onClick={() => void more()}>
          {words.olderChats}
        </Button>
      )}
    </div>
  );
}

interface ItemProps {
  conversation: Conversation;
  isOpen: boolean;
  href: string;
  onOpen: () => void;
}

function Item({ conversation, isOpen, href, onOpen }: ItemProps) {
  const { with: peer, lastMessage, unreadCount, updatedAt } = conversation;
  const chats = useServices().get(createChats);
  const isTyping = useStore(chats.typing).has(peer);
  const words = useWords();
  return (
    <li>
      <Thread
        href={href}
        onOpen={onOpen}
        isOpen={isOpen}
        unread={unreadCount}
        avatar={<Avatar address={peer} size={40} />}
        title={<Name address={peer} />}
        at={updatedAt}
        last={
          isTyping ? (
            <em>{words.chats.typing}</em>
          ) : (
            lastMessage && messagePreview(lastMessage, chats.own, words)
          )
        }
        data-testid="chat"
        data-peer={peer}
      />
    </li>
  );
}
