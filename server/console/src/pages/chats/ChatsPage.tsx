import { isGroup } from '@parley/sdk';
import { Chat, ConversationList, parseCallee } from '@parley/react';
import { Box, Button } from '@mantine/core';
import { IconMessageCircle, IconPencil } from '@tabler/icons-react';
import { Link, useLocation, useParams } from 'wouter';
import classes from '../../conversation/Conversation.module.css';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { NewChat } from './NewChat.tsx';

const hrefOf = (peer: string) => `/chats/${peer}`;

/** Chats with wallets and in groups: the list and the open chat, or one of the two on a phone. */
export function ChatsPage() {
  const { leavingVoicemailFor } = useWalletData();
  const [, navigate] = useLocation();
  const { peer: asked } = useParams<{ peer?: string }>();
  const isNew = asked === 'new';
  const peer = asked === undefined || isNew ? undefined : peerIn(asked);
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
        <ConversationList open={peer} hrefOf={hrefOf} onOpen={(to) => navigate(hrefOf(to))} />
      </div>
      <section className={`parley-card ${classes['conversation']}`} aria-label="Chat">
        {isNew && <NewChat />}
        {peer && (
          <Chat
            with={peer}
            hasCalls
            onBack={() => navigate('/chats')}
            onVoicemail={(to) => leavingVoicemailFor.set(to)}
          />
        )}
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

/** The wallet or group in the path of the page. */
const peerIn = (asked: string) => (isGroup(asked) ? asked : parseCallee(asked, noOwn).address);
const noOwn = { origin: location.origin, address: null };
