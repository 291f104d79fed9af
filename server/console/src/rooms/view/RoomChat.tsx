import { ActionIcon, Text, Textarea } from '@mantine/core';
import { IconMessageCircle, IconSend2 } from '@tabler/icons-react';
import { useState, type FormEvent, type KeyboardEvent } from 'react';
import { Bubbles } from '../../conversation/Bubbles.tsx';
import conversation from '../../conversation/Conversation.module.css';
import { useAction } from '../../data/useAction.ts';
import { Empty } from '../../ui/Empty.tsx';
import { shortAddress } from '../../ui/format.ts';
import { atTime } from '../../ui/numbers.ts';
import { useRoom } from '../useRoom.ts';
import classes from './InRoom.module.css';

const longest = 2_000;
/** On a touch screen's keyboard, Enter is for a new line. */
const hasKeyboard = () => matchMedia('(hover: hover)').matches;

/** What is written to everybody in the room, while it lasts. */
export function RoomChat() {
  const { controller, state, isHost } = useRoom();
  const messages = state.chat.map((said) => ({ id: said.message.id, said })).toReversed();
  const mayWrite = isHost || state.room?.settings.allowChat !== false;
  return (
    <div className={classes['chat']}>
      {messages.length === 0 ? (
        <div className={classes['noChat']}>
          <Empty icon={IconMessageCircle} title="Nothing is written yet">
            Everybody in the room reads it. It is gone when the room is over.
          </Empty>
        </div>
      ) : (
        <Bubbles messages={messages} writtenAt={({ said }) => said.message.timestamp} earlier={null}>
          {({ said: { message, sender } }) => {
            const isMine = message.from === controller.address;
            return (
              <div
                className={conversation['bubble']}
                data-direction={isMine ? 'outbound' : 'inbound'}
                data-testid="room-message"
              >
                {!isMine && (
                  <Text size="xs" fw={600} c="var(--parley-accent)">
                    {sender.displayName ?? shortAddress(sender.walletAddress)}
                  </Text>
                )}
                <p className={conversation['text']}>{message.content}</p>
                <p className={conversation['state']}>{atTime(message.timestamp)}</p>
              </div>
            );
          }}
        </Bubbles>
      )}
      {mayWrite ? (
        <Compose />
      ) : (
        <Text size="sm" c="dimmed">
          Only hosts write in this room.
        </Text>
      )}
    </div>
  );
}

function Compose() {
  const { controller } = useRoom();
  const [text, setText] = useState('');
  const { run, isRunning, problem } = useAction(async (content: string) => {
    try {
      await controller.say(content);
    } catch (error) {
      // There to be sent again; unless something else is there meanwhile.
      setText((now) => now || content);
      throw error;
    }
  });
  const send = async (event: FormEvent) => {
    event.preventDefault();
    const content = text.trim();
    if (content === '' || isRunning) return;
    setText('');
    await run(content);
  };
  const sendByKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isSend = event.key === 'Enter' && !event.shiftKey && (hasKeyboard() || event.ctrlKey);
    if (!isSend || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <form className={conversation['composer']} onSubmit={(event) => void send(event)} noValidate>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problem.title}: {problem.advice}
        </Text>
      )}
      <div className={conversation['write']}>
        <Textarea
          aria-label="Your message to the room"
          placeholder="To everybody"
          autosize
          minRows={1}
          maxRows={5}
          maxLength={longest}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={sendByKey}
          className={conversation['field'] ?? ''}
          data-testid="room-compose"
        />
        <ActionIcon
          type="submit"
          size={36}
          disabled={text.trim() === ''}
          aria-label="Send"
          data-testid="room-send"
        >
          <IconSend2 size={18} />
        </ActionIcon>
      </div>
    </form>
  );
}
