import type { Conversation } from '@parley/sdk';
import { IconMessageCircle, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Thread } from '../conversation/Thread.tsx';
import { useServices } from '../core/ParleyProvider.tsx';
import { GroupAvatar } from '../groups/GroupAvatar.tsx';
import { useTypingLine } from '../groups/useTypingLine.ts';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { Badge, Empty } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Chats.module.css';
import { ChatSearch } from './ChatSearch.tsx';
import { createChats } from './ChatsController.ts';
import { messagePreview } from './messagePreview.ts';
import { useConversations, useTypists } from './useChat.ts';

interface Props {
  /** Opens a chat. @param peer the wallet, or the id of the group */
  onOpen: (peer: string) => void;
  /** The wallet or group whose chat is open; it is marked. */
  open?: string | undefined;
  /** The address of the page with a chat, so that it can be opened in a new tab. @default `#` and the wallet or group */
  hrefOf?: (peer: string) => string;
}

/** The chats of the signed-in wallet, latest first, with a search in all of them. */
export function ConversationList({ onOpen, open, hrefOf = (peer) => `#${peer}` }: Props) {
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
  const { with: peer, group, unreadCount, updatedAt } = conversation;
  return (
    <li>
      <Thread
        href={href}
        onOpen={onOpen}
        isOpen={isOpen}
        unread={unreadCount}
        avatar={
          group ? (
            <GroupAvatar id={group.id} name={group.name} size={40} />
          ) : (
            <Avatar address={peer} size={40} />
          )
        }
        title={group ? group.name : <Name address={peer} />}
        at={updatedAt}
        last={<Last conversation={conversation} />}
        data-testid="chat"
        data-peer={peer}
      />
    </li>
  );
}

/** Who is typing, the last message, or the invitation. */
function Last({ conversation: { with: peer, group, lastMessage } }: { conversation: Conversation }) {
  const { own } = useServices().get(createChats);
  const words = useWords();
  const typing = useTypists(peer);
  const typingLine = useTypingLine(typing);
  const inviter = usePartyName(group?.invitedBy ?? '');
  const sender = usePartyName(lastMessage?.from ?? '');
  if (group?.standing === 'invited')
    return (
      <>
        <Badge>{words.groups.invitation}</Badge> {words.groups.invitedBy(inviter)}
      </>
    );
  if (typing.length > 0) return <em>{group ? typingLine : words.chats.typing}</em>;
  if (lastMessage) return messagePreview(lastMessage, own, words, group ? sender : undefined);
  if (group?.standing === 'removed') return words.groups.youWereRemoved;
  if (group?.standing === 'left') return words.groups.youLeft;
  return group && words.groups.members(group.memberCount);
}
