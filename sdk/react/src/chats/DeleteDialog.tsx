import { isGroup, type Message } from '@parley/sdk';
import { useAction } from '../core/useAction.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Stack, Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { ChatController } from './ChatController.ts';

interface Props {
  message: Message;
  chat: ChatController;
  isOwn: boolean;
  onClose: () => void;
}

/** Asks whether to delete a message for everyone or for this wallet only. */
export function DeleteDialog({ message, chat, isOwn, onClose }: Props) {
  const words = useWords().chats;
  const inGroup = isGroup(chat.peer);
  const ownHint = inGroup ? words.deleteOwnHintInGroup : words.deleteOwnHint;
  const theirsHint = inGroup ? words.deleteTheirsHintInGroup : words.deleteTheirsHint;
  const { run, isRunning, problem } = useAction(async (forEveryone: boolean) => {
    await chat.delete(message, forEveryone);
    onClose();
  });
  return (
    <Dialog title={words.deleteTitle} onClose={onClose} data-testid="delete-dialog">
      <Stack>
        <Text size="sm">{isOwn ? ownHint : theirsHint}</Text>
        {problem && <ProblemAlert problem={problem} />}
        {isOwn && (
          <Button
            isDanger
            isLoading={isRunning}
            onClick={() => void run(true)}
            data-testid="delete-for-everyone"
          >
            {words.deleteForEveryone}
          </Button>
        )}
        <Button
          variant={isOwn ? 'light' : 'filled'}
          isDanger
          isLoading={isRunning}
          onClick={() => void run(false)}
          data-testid="delete-for-me"
        >
          {words.deleteForMe}
        </Button>
        <Button variant="outline" onClick={onClose}>
          {words.keep}
        </Button>
      </Stack>
    </Dialog>
  );
}
