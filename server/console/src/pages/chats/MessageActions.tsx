import { ActionIcon, Menu } from '@mantine/core';
import type { Message } from '@parley/sdk';
import { IconCopy, IconMoodSmile, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import type { Chat } from '../../chats/Chat.ts';
import own from './Chats.module.css';
import { DeleteDialog } from './DeleteDialog.tsx';

interface Props {
  message: Message;
  chat: Chat;
  own: string;
}

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

/** The menu to react to a message, copy it or delete it. */
export function MessageActions({ message, chat, own: wallet }: Props) {
  const [isDeleting, setIsDeleting] = useState(false);
  const given = new Set(message.reactions.filter(({ from }) => from === wallet).map(({ emoji }) => emoji));
  const isDeleted = message.deletedAt !== null;
  return (
    <>
      <Menu position="bottom" shadow="md" width={272}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            radius="xl"
            className={own['actions'] ?? ''}
            aria-label="React or delete"
            data-testid="message-actions"
          >
            <IconMoodSmile size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {!isDeleted && (
            <div className={own['emojis']} role="group" aria-label="React">
              {emojis.map((emoji) => (
                <Menu.Item
                  key={emoji}
                  className={own['emoji'] ?? ''}
                  aria-label={given.has(emoji) ? `Remove ${emoji}` : `React with ${emoji}`}
                  onClick={() => void chat.react(message, emoji, !given.has(emoji))}
                  data-given={given.has(emoji)}
                  data-testid="react"
                  data-emoji={emoji}
                >
                  {emoji}
                </Menu.Item>
              ))}
            </div>
          )}
          {message.content && (
            <Menu.Item
              leftSection={<IconCopy size={18} />}
              onClick={() => void navigator.clipboard.writeText(message.content)}
            >
              Copy
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconTrash size={18} />}
            color="brick"
            onClick={() => setIsDeleting(true)}
            data-testid="delete-message"
          >
            Delete…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isDeleting && (
        <DeleteDialog
          message={message}
          chat={chat}
          isOwn={message.from === wallet}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </>
  );
}
