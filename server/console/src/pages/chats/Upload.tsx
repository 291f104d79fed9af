import { useStore } from '@parley/react';
import { CloseButton, Text } from '@mantine/core';
import type { Message } from '@parley/sdk';
import type { Chat } from '../../chats/Chat.ts';
import own from './Chats.module.css';

/** The file of a message while it is being uploaded, with its progress and a button to cancel. */
export function Upload({ message: { id, type, status }, chat }: { message: Message; chat: Chat }) {
  const { files } = useStore(chat.store);
  const file = files[id];
  if (!file) return null;
  const percent = Math.round(file.part * 100);
  return (
    <div className={own['upload']} data-testid="upload">
      {type === 'image' ? <img src={file.url} alt={file.name} /> : <Text size="sm">{file.name}</Text>}
      {status === 'sending' && (
        <div className={own['progress']}>
          <progress value={file.part} max={1} aria-label={`Sending ${file.name}`} />
          <Text span size="xs">
            {percent} %
          </Text>
          <CloseButton
            size="sm"
            aria-label={`Cancel sending ${file.name}`}
            title="Cancel sending"
            onClick={() => chat.cancel(id)}
            data-testid="cancel-upload"
          />
        </div>
      )}
    </div>
  );
}
