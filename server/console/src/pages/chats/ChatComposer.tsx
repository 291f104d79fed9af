import { MessageField } from '@parley/react';
import { ActionIcon, Button, CloseButton, Flex, Group, Text } from '@mantine/core';
import { IconPaperclip, IconSend2 } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ClipboardEvent, type FormEvent } from 'react';
import type { Chat } from '../../chats/Chat.ts';
import { whyNot } from '../../chats/typeOfFile.ts';
import own from './Chats.module.css';

interface Props {
  chat: Chat;
  /** Files chosen, pasted or dropped, but not sent yet. */
  files: File[];
  setFiles: (files: File[]) => void;
}

const longest = 10_000;

/** The field to write and send messages, with or without files. */
export function ChatComposer({ chat, files, setFiles }: Props) {
  const [text, setText] = useState('');
  const chooser = useRef<HTMLInputElement>(null);
  useEffect(() => () => chat.typing(false), [chat]);
  const refused = files.map(whyNot).find((why) => why !== null) ?? null;
  const canSend = (text.trim() !== '' || files.length > 0) && refused === null;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!canSend) return;
    const content = text.trim();
    if (files.length === 0) chat.send(content);
    // The text is the caption of the first file.
    for (const [index, file] of files.entries()) chat.send(index === 0 ? content : '', file);
    setText('');
    setFiles([]);
    chat.typing(false);
  };
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    setFiles([...files, ...event.clipboardData.files]);
  };
  return (
    <Flex component="form" direction="column" gap={8} onSubmit={send} noValidate>
      {files.length > 0 && (
        <ul className={own['files']}>
          {files.map((file, index) => (
            <li key={index} className={own['file']} data-testid="chosen-file">
              <span>{file.name}</span>
              <CloseButton
                aria-label={`Remove ${file.name}`}
                onClick={() => setFiles(files.filter((each) => each !== file))}
              />
            </li>
          ))}
        </ul>
      )}
      {refused && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" data-testid="file-refused">
          {refused}
        </Text>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <input
          ref={chooser}
          type="file"
          hidden
          multiple
          accept="image/*,video/*,audio/*"
          onChange={({ currentTarget }) => {
            setFiles([...files, ...(currentTarget.files ?? [])]);
            currentTarget.value = '';
          }}
          data-testid="file"
        />
        <ActionIcon
          variant="default"
          size={36}
          aria-label="Attach images, videos or audio"
          title="Attach images, videos or audio. You can also paste or drop files."
          onClick={() => chooser.current?.click()}
          data-testid="attach"
        >
          <IconPaperclip size={18} />
        </ActionIcon>
        <MessageField
          value={text}
          onChange={(value) => {
            setText(value);
            chat.typing(value !== '');
          }}
          longest={longest}
          isSentByEnter
          onPaste={paste}
          testId="compose"
        />
        <Button
          type="submit"
          disabled={!canSend}
          leftSection={<IconSend2 size={18} />}
          title="Enter sends the message, Shift+Enter starts a new line"
          data-testid="send"
        >
          Send
        </Button>
      </Group>
    </Flex>
  );
}
