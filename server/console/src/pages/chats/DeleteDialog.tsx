import { ProblemAlert } from '@parley/react';
import { Button, Stack, Text } from '@mantine/core';
import type { Message } from '@parley/sdk';
import type { Chat } from '../../chats/Chat.ts';
import { useAction } from '../../data/useAction.ts';
import { Dialog } from '../../ui/Dialog.tsx';

interface Props {
  message: Message;
  chat: Chat;
  isOwn: boolean;
  onClose: () => void;
}

/** Asks whether to delete a message for everyone or for this wallet only. */
export function DeleteDialog({ message, chat, isOwn, onClose }: Props) {
  const { run, isRunning, problem } = useAction(async (forEveryone: boolean) => {
    await chat.delete(message, forEveryone);
    onClose();
  });
  const canForEveryone = isOwn && message.deletedAt === null;
  return (
    <Dialog title="Delete this message?" onClose={onClose} testId="delete-dialog">
      <Stack>
        <Text size="sm">
          {canForEveryone
            ? 'Delete for everyone: the message and its file are removed permanently, and both of you see that a message was deleted. Delete for me: it is hidden only from you.'
            : 'The message is hidden on all your devices. The other person still sees it.'}
        </Text>
        {problem && <ProblemAlert problem={problem} />}
        {canForEveryone && (
          <Button
            color="brick"
            loading={isRunning}
            onClick={() => void run(true)}
            data-testid="delete-for-everyone"
          >
            Delete for everyone
          </Button>
        )}
        <Button
          variant={canForEveryone ? 'light' : 'filled'}
          color="brick"
          loading={isRunning}
          onClick={() => void run(false)}
          data-testid="delete-for-me"
        >
          Delete for me
        </Button>
        <Button variant="default" onClick={onClose}>
          Keep message
        </Button>
      </Stack>
    </Dialog>
  );
}
