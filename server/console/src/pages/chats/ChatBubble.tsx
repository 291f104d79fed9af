import { useStore } from '@parley/react';
import { Button, Group, VisuallyHidden } from '@mantine/core';
import type { Message } from '@parley/sdk';
import { IconCheck, IconChecks, IconClock, IconTrash } from '@tabler/icons-react';
import type { Chat } from '../../chats/Chat.ts';
import { countedReactions } from '../../chats/chatState.ts';
import classes from '../../conversation/Conversation.module.css';
import { atMoment, counted } from '../../ui/numbers.ts';
import own from './Chats.module.css';
import { MediaContent } from './MediaContent.tsx';
import { MessageActions } from './MessageActions.tsx';
import { Upload } from './Upload.tsx';

interface Props {
  message: Message;
  chat: Chat;
  /** The signed-in wallet. */
  own: string;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** A message with its file, reactions and status. */
export function ChatBubble({ message, chat, own: wallet }: Props) {
  const { from, content, status, timestamp, deletedAt, media } = message;
  const isOwn = from === wallet;
  const isPending = status === 'sending' || status === 'failed';
  return (
    <div className={own['row']} data-own={isOwn}>
      <div
        className={`${classes['bubble']} ${own['bubble']}`}
        data-testid="message"
        data-direction={isOwn ? 'outbound' : 'inbound'}
        data-status={status}
        data-deleted={deletedAt !== null}
      >
        <VisuallyHidden component="span">{isOwn ? 'You: ' : 'They: '}</VisuallyHidden>
        {deletedAt && (
          <p className={own['deleted']}>
            <IconTrash size={16} aria-hidden />{' '}
            {isOwn ? 'You deleted this message' : 'This message was deleted'}
          </p>
        )}
        {media && <MediaContent type={message.type} media={media} onExpired={() => void chat.refresh()} />}
        {isPending && <Upload message={message} chat={chat} />}
        {content && (
          <p className={classes['text']} data-testid="message-text">
            {content}
          </p>
        )}
        <p className={`${classes['state']} ${own['state']}`} title={atMoment(timestamp)}>
          <time dateTime={timestamp.toISOString()}>{clock.format(timestamp)}</time>
          {isOwn && !deletedAt && <Status status={status} />}
        </p>
        {status === 'failed' && <Failed message={message} chat={chat} />}
        <Reactions message={message} chat={chat} own={wallet} />
      </div>
      {!isPending && <MessageActions message={message} chat={chat} own={wallet} />}
    </div>
  );
}

const statuses = {
  sending: ['Sending', IconClock],
  sent: ['Sent', IconCheck],
  delivered: ['Delivered', IconChecks],
  read: ['Read', IconChecks],
} as const;

function Status({ status }: { status: Message['status'] }) {
  if (status === 'failed') return <span>not sent</span>;
  const [label, StatusIcon] = statuses[status];
  return (
    <span className={own['status']} data-status={status} role="img" aria-label={label} title={label}>
      <StatusIcon size={16} aria-hidden />
    </span>
  );
}

function Failed({ message: { id }, chat }: Pick<Props, 'message' | 'chat'>) {
  const { failures } = useStore(chat.store);
  const why = failures[id];
  return (
    <>
      <p className={classes['why']}>
        {why ? `${why.title}. ${why.advice}` : 'The message did not reach the server. Try again.'}
      </p>
      <Group gap={6} mt={6}>
        <Button size="compact-sm" onClick={() => chat.retry(id)} data-testid="retry">
          Try again
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => chat.discard(id)} data-testid="discard">
          Discard
        </Button>
      </Group>
    </>
  );
}

function Reactions({ message, chat, own: wallet }: Props) {
  const given = countedReactions(message, wallet);
  if (given.length === 0) return null;
  return (
    <Group gap={4} mt={4}>
      {given.map(({ emoji, count, isOwn }) => (
        <button
          key={emoji}
          type="button"
          className={own['reaction']}
          aria-pressed={isOwn}
          aria-label={`${emoji}, ${counted(count, 'person', 'people')}${isOwn ? ': remove your reaction' : ': add your reaction'}`}
          onClick={() => void chat.react(message, emoji, !isOwn)}
          data-testid="reaction"
          data-emoji={emoji}
        >
          {emoji}
          {count > 1 && <span>{count}</span>}
        </button>
      ))}
    </Group>
  );
}
