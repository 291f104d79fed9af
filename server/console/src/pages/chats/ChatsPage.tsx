import { Box, Button } from '@mantine/core';
import { IconMessageCircle, IconPencil } from '@tabler/icons-react';
import { Link, useParams } from 'wouter';
import { parseCallee } from '../../calls/parseCallee.ts';
import classes from '../../conversation/Conversation.module.css';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { ChatItem } from './ChatItem.tsx';
import { ChatView } from './ChatView.tsx';
import { NewChat } from './NewChat.tsx';

/** Chats between wallets: the list and the open chat, or one of the two on a phone. */
export function ChatsPage() {
  const { queries } = useSignedIn();
  const { peer: asked } = useParams<{ peer?: string }>();
  const list = useList(queries.conversations);
  const isNew = asked === 'new';
  const peer = asked === undefined || isNew ? undefined : parseCallee(asked, noOwn).address;
  return (
    <div className={classes['page']} data-open={isNew || peer !== undefined}>
      <div className={classes['threads']}>
        <header className={classes['top']}>
          <h1>Chats</h1>
          <Button
            component={Link}
            href="/chats/new"
            leftSection={<IconPencil size={18} />}
            data-testid="new-chat"
          >
            New chat
          </Button>
        </header>
        <LoadedList
          list={list}
          what="your chats"
          rows={5}
          empty={
            <Empty icon={IconMessageCircle} title="No chats yet">
              Start a chat with someone’s wallet address. New messages to you appear here automatically.
            </Empty>
          }
          more="Show older chats"
          className={classes['list']}
        >
          {(each) => <ChatItem key={each.id} conversation={each} isOpen={each.with === peer} />}
        </LoadedList>
      </div>
      <section className={`parley-card ${classes['conversation']}`} aria-label="Chat">
        {isNew && <NewChat />}
        {peer && <ChatView key={peer} peer={peer} />}
        {!isNew && !peer && (
          <Box m="auto">
            <Empty icon={IconMessageCircle} title="No chat selected">
              Choose a chat or start a new one.
            </Empty>
          </Box>
        )}
      </section>
    </div>
  );
}

const noOwn = { origin: location.origin, address: null };
