import { GuestMark, partyName } from '@parley/react';
import { isGuest } from '@parley/sdk';
import { ActionIcon, Box, Flex, Group, Stack, Text } from '@mantine/core';
import { IconMessageCircle, IconSend2 } from '@tabler/icons-react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { useAction } from '../data/useAction.ts';
import { Empty } from '../ui/Empty.tsx';
import { atTime } from '../ui/numbers.ts';
import { Bubbles } from './Bubbles.tsx';
import classes from './Conversation.module.css';
import { MessageField } from './MessageField.tsx';

/** A message in the chat of a room or a stream. */
export interface ChatEntry {
  message: { id: string; from: string; content: string; timestamp: Date };
  sender: { walletAddress: string; displayName: string | null };
}

interface Props<One extends ChatEntry> {
  /** Oldest first. */
  chat: One[];
  /** The viewer's own wallet or `guest:…`, whose messages are on the right; null for a viewer without either. */
  own: string | null;
  /** The heading of an empty chat. @default 'No messages yet' */
  emptyTitle?: string;
  /** The text of an empty chat, which says who can read the messages and for how long. */
  empty: string;
  /** The actions on a message. */
  actions?: (said: One) => ReactNode;
  /** The composer, or why the user cannot write. */
  children: ReactNode;
  testId: string;
}

/** The chat of a room or a stream. */
export function GroupChat<One extends ChatEntry>(props: Props<One>) {
  const { chat, own, emptyTitle = 'No messages yet', empty, actions, children, testId } = props;
  const messages = chat.map((said) => ({ id: said.message.id, said })).toReversed();
  return (
    <Stack gap="sm" flex={1} mih={0}>
      {messages.length === 0 ? (
        <Box m="auto">
          <Empty icon={IconMessageCircle} title={emptyTitle}>
            {empty}
          </Empty>
        </Box>
      ) : (
        <Bubbles messages={messages} writtenAt={({ said }) => said.message.timestamp}>
          {({ said }) => <Bubble said={said} own={own} actions={actions?.(said)} testId={testId} />}
        </Bubbles>
      )}
      {children}
    </Stack>
  );
}

interface BubbleProps {
  said: ChatEntry;
  own: string | null;
  actions: ReactNode;
  testId: string;
}

function Bubble({ said: { message, sender }, own, actions, testId }: BubbleProps) {
  const isMine = message.from === own;
  return (
    <div
      className={classes['bubble']}
      data-direction={isMine ? 'outbound' : 'inbound'}
      data-testid={`${testId}-message`}
    >
      {(!isMine || actions) && (
        <div className={classes['line']}>
          <Text size="xs" fw={600} c="var(--parley-accent)" truncate>
            {isMine ? 'You' : (sender.displayName ?? partyName(sender.walletAddress))}{' '}
            {!isMine && isGuest(sender.walletAddress) && <GuestMark />}
          </Text>
          {actions}
        </div>
      )}
      <p className={classes['text']}>{message.content}</p>
      <p className={classes['state']}>{atTime(message.timestamp)}</p>
    </div>
  );
}

interface ComposeProps {
  onSay: (content: string) => Promise<void>;
  label: string;
  /** The maximum length, in characters. */
  longest: number;
  testId: string;
}

/** A text field that grows with its content, and a button. */
export function Compose({ onSay, label, longest, testId }: ComposeProps) {
  const [text, setText] = useState('');
  const { run, problem } = useAction(async (content: string) => {
    setText('');
    try {
      await onSay(content);
    } catch (error) {
      // Puts the text back, so that it can be sent again, unless the user has typed something else.
      setText((now) => now || content);
      throw error;
    }
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    const content = text.trim();
    if (content !== '') void run(content);
  };
  return (
    <Flex component="form" direction="column" gap={8} onSubmit={send} noValidate>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem.title}: {problem.advice}
        </Text>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <MessageField
          label={label}
          placeholder="Message everyone"
          value={text}
          onChange={setText}
          longest={longest}
          isSentByEnter
          testId={`${testId}-compose`}
        />
        <ActionIcon
          type="submit"
          size={36}
          disabled={text.trim() === ''}
          aria-label="Send"
          data-testid={`${testId}-send`}
        >
          <IconSend2 size={18} />
        </ActionIcon>
      </Group>
    </Flex>
  );
}
