import type { Message } from '@parley/sdk';
import * as Dropdown from '@radix-ui/react-dropdown-menu';
import { IconArrowBackUp, IconChevronDown, IconCopy, IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { IconButton } from '../ui/Button.tsx';
import { copyText } from '../ui/copyText.ts';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { Composing } from './chatState.ts';
import type { ChatController } from './ChatController.ts';
import classes from './Chats.module.css';
import { DeleteDialog } from './DeleteDialog.tsx';

interface Props {
  message: Message;
  chat: ChatController;
  own: string;
  /** Begins a reply or an edit; null if this wallet cannot write in the chat. */
  onCompose: ((composing: Composing) => void) | null;
}

const emojis = ['👍', '❤️', '😂', '😮', '😢', '🙏'];

/** The menu to react to a message, reply to it, copy, change or delete it. */
export function MessageActions({ message, chat, own, onCompose }: Props) {
  const words = useWords();
  const { report } = useServices();
  const [isDeleting, setIsDeleting] = useState(false);
  const given = new Set(message.reactions.filter(({ from }) => from === own).map(({ emoji }) => emoji));
  // The menu returns the focus to its button when it closes, so the composer takes it afterwards.
  const compose = (is: 'reply' | 'edit') => setTimeout(() => onCompose?.({ is, message }));
  return (
    <>
      <Menu
        align="center"
        trigger={
          <IconButton
            className={classes['actions']}
            label={words.chats.actions}
            data-testid="message-actions"
          >
            <IconChevronDown size={18} aria-hidden />
          </IconButton>
        }
      >
        {onCompose && (
          <>
            <div className={classes['emojis']} role="presentation">
              {emojis.map((emoji) => (
                <Dropdown.Item
                  key={emoji}
                  className={classes['emoji'] ?? ''}
                  aria-label={given.has(emoji) ? words.chats.unreact(emoji) : words.chats.react(emoji)}
                  onSelect={() => void chat.react(message, emoji, !given.has(emoji))}
                  data-given={given.has(emoji)}
                  data-testid="react"
                  data-emoji={emoji}
                >
                  {emoji}
                </Dropdown.Item>
              ))}
            </div>
            <MenuItem
              icon={<IconArrowBackUp size={18} aria-hidden data-parley-pointing />}
              onSelect={() => compose('reply')}
              data-testid="reply"
            >
              {words.chats.reply}
            </MenuItem>
          </>
        )}
        {message.content && (
          <MenuItem
            icon={<IconCopy size={18} aria-hidden />}
            onSelect={() => void copyText(message.content).catch(report)}
          >
            {words.common.copy}
          </MenuItem>
        )}
        {onCompose && message.from === own && (
          <MenuItem
            icon={<IconPencil size={18} aria-hidden />}
            onSelect={() => compose('edit')}
            data-testid="edit-message"
          >
            {words.chats.edit}
          </MenuItem>
        )}
        <MenuItem
          icon={<IconTrash size={18} aria-hidden />}
          isDanger
          onSelect={() => setIsDeleting(true)}
          data-testid="delete-message"
        >
          {words.chats.delete}
        </MenuItem>
      </Menu>
      {isDeleting && (
        <DeleteDialog
          message={message}
          chat={chat}
          isOwn={message.from === own}
          onClose={() => setIsDeleting(false)}
        />
      )}
    </>
  );
}
