import { Compose, GroupChat } from '@parley/react';
import { Stack, Text } from '@mantine/core';
import type { StreamChatMessage } from '@parley/sdk';
import { longestMessage } from '../../streams/longestMessage.ts';
import streams from '../../streams/Streams.module.css';
import type { WatchController } from '../../streams/watch/WatchController.ts';
import { ChooseWallet } from './ChooseWallet.tsx';

interface Props {
  controller: WatchController;
  chat: StreamChatMessage[];
  own: string | null;
}

/** The chat of a stream. Viewers need a wallet or a participant token to read and write messages. */
export function WatchChat({ controller, chat, own }: Props) {
  return (
    <aside className={`parley-card ${streams['side']}`} aria-label="Chat" data-testid="watch-chat">
      <GroupChat
        chat={chat}
        own={own}
        {...(own === null ? { emptyTitle: 'Sign in to chat' } : {})}
        empty={
          own === null
            ? 'You need a wallet to read and write messages. One click creates a temporary one, with nothing to install.'
            : 'All viewers see the chat. It is deleted when the stream ends.'
        }
        testId="stream"
      >
        {controller.guest?.grants.canChat === false ? (
          <Text size="sm" c="dimmed">
            Your link does not let you write in this chat.
          </Text>
        ) : own === null ? (
          <Stack gap="xs">
            <Text size="sm" fw={600}>
              Join the chat
            </Text>
            <ChooseWallet />
          </Stack>
        ) : (
          <Compose
            onSay={controller.say}
            label="Message to everyone"
            longest={longestMessage}
            testId="stream"
          />
        )}
      </GroupChat>
    </aside>
  );
}
