import type { Message } from '@parley/sdk';
import { IconX } from '@tabler/icons-react';
import { useStore } from '../core/Store.ts';
import { IconButton } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { ChatController } from './ChatController.ts';
import classes from './Chats.module.css';

interface Props {
  message: Message;
  chat: ChatController;
}

/** The file of a message while it is being uploaded, with its progress and a button to cancel. */
export function Upload({ message: { id, type, status }, chat }: Props) {
  const words = useWords().chats;
  const { files } = useStore(chat.store);
  const file = files[id];
  if (!file) return null;
  const percent = Math.round(file.part * 100);
  return (
    <div className={classes['upload']} data-testid="upload">
      {type === 'image' ? <img src={file.url} alt={file.name} /> : <span>{file.name}</span>}
      {status === 'sending' && (
        <div className={classes['progress']}>
          <progress value={file.part} max={1} aria-label={words.sendingFile(file.name)} />
          <span>{percent} %</span>
          <IconButton
            size="sm"
            label={words.cancelSending(file.name)}
            onClick={() => chat.cancel(id)}
            data-testid="cancel-upload"
          >
            <IconX size={16} aria-hidden />
          </IconButton>
        </div>
      )}
    </div>
  );
}
