import { isGroup, type Message } from '@parley/sdk';
import { IconCheck, IconChecks, IconClock, IconTrash } from '@tabler/icons-react';
import { memo } from 'react';
import { MessageBubble, MessageFailure, MessageState, MessageText } from '../conversation/MessageBubble.tsx';
import { atClock, atMoment } from '../core/format.ts';
import { useServices } from '../core/ParleyProvider.tsx';
import { useStore } from '../core/Store.ts';
import { Avatar } from '../people/Avatar.tsx';
import { Name } from '../people/Name.tsx';
import { usePartyName } from '../people/usePeople.ts';
import { VisuallyHidden } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { useWords } from '../words/WordsContext.tsx';
import type { Composing } from './chatState.ts';
import type { ChatController } from './ChatController.ts';
import classes from './Chats.module.css';
import { createChats } from './ChatsController.ts';
import { countedReactions } from './chatState.ts';
import { MediaContent } from './MediaContent.tsx';
import { MessageActions } from './MessageActions.tsx';
import { Upload } from './Upload.tsx';

interface Props {
  message: Message;
  peer: string;
  /** The signed-in wallet. */
  own: string;
  /** Whether the message before is by another sender. */
  isFirstOfRun: boolean;
  /** Begins a reply or an edit; null if this wallet cannot write in the chat. */
  onCompose: ((composing: Composing) => void) | null;
}

/**
 * A message with what it replies to, its file, reactions and status. In a group, the first of each sender names the sender. It renders only
 * when the message changes: the chat renders with each key that is pressed and each receipt.
 */
export const ChatBubble = memo(function ChatBubble(props: Props) {
  const { message, peer, own, isFirstOfRun, onCompose } = props;
  const chat = useServices().get(createChats).with(peer);
  const { chats: words, conversation } = useWords();
  const { from, content, status, timestamp, deletedAt, editedAt, media, replyTo } = message;
  const isOwn = from === own;
  const isOfMember = isGroup(peer) && !isOwn;
  const isPending = status === 'sending' || status === 'failed';
  return (
    <div className={classes['row']} data-own={isOwn} data-message={message.id} tabIndex={-1}>
      {isOfMember && (
        <span className={classes['sender']}>{isFirstOfRun && <Avatar address={from} size={28} />}</span>
      )}
      <MessageBubble
        direction={isOwn ? 'outbound' : 'inbound'}
        status={status}
        className={classes['bubble']}
        data-testid="message"
        data-deleted={deletedAt !== null}
      >
        {isOfMember ? (
          <Sender wallet={from} isShown={isFirstOfRun} />
        ) : (
          <VisuallyHidden>{isOwn ? conversation.spokenYou : conversation.spokenThey}</VisuallyHidden>
        )}
        {deletedAt && (
          <p className={classes['deleted']}>
            <IconTrash size={16} aria-hidden /> {isOwn ? words.youDeleted : words.theyDeleted}
          </p>
        )}
        {replyTo && !deletedAt && (
          <Quote quote={replyTo} own={own} onOpen={() => void chat.show(replyTo.id)} />
        )}
        {media && (
          <MediaContent type={message.type} media={media} onExpired={() => void chat.renew(message.id)} />
        )}
        {isPending && <Upload message={message} chat={chat} />}
        {content && <MessageText text={content} testId="message-text" />}
        <MessageState className={classes['state']} title={atMoment(timestamp)}>
          {editedAt && (
            <span title={atMoment(editedAt)} data-testid="edited">
              {words.edited}
            </span>
          )}
          <time dateTime={timestamp.toISOString()}>{atClock(timestamp)}</time>
          {isOwn && !deletedAt && <Status status={status} />}
        </MessageState>
        {status === 'failed' && <Failed message={message} chat={chat} />}
        <Reactions message={message} chat={chat} own={own} isDisabled={onCompose === null} />
      </MessageBubble>
      {!isPending && !deletedAt && (
        <MessageActions message={message} chat={chat} own={own} onCompose={onCompose} />
      )}
    </div>
  );
});

/** The sender of a message in a group. @param props.isShown whether the name is visible, or for screen readers only */
function Sender({ wallet, isShown }: { wallet: string; isShown: boolean }) {
  const { saidBy } = useWords().conversation;
  const name = usePartyName(wallet);
  if (!isShown) return <VisuallyHidden>{saidBy(name)}</VisuallyHidden>;
  return (
    <p className={classes['senderName']} dir="auto" title={wallet} data-testid="sender">
      {name}
    </p>
  );
}

interface QuoteProps {
  quote: NonNullable<Message['replyTo']>;
  own: string;
  onOpen: () => void;
}

/** The message that this one replies to. A click shows it. */
function Quote({ quote, own, onOpen }: QuoteProps) {
  const { chats: words, conversation } = useWords();
  return (
    <button
      type="button"
      className={classes['quote']}
      onClick={onOpen}
      title={words.showOriginal}
      data-testid="quote"
    >
      {quote.from === own ? <strong>{conversation.you}</strong> : <Name address={quote.from} />}
      <span dir="auto">{quote.content || words.preview[quote.type] || words.deletedPreview}</span>
    </button>
  );
}

const icons = { sending: IconClock, sent: IconCheck, delivered: IconChecks, read: IconChecks };

function Status({ status }: { status: Message['status'] }) {
  const words = useWords().chats;
  if (status === 'failed') return <span>{words.notSent}</span>;
  const StatusIcon = icons[status];
  return (
    <span
      className={classes['status']}
      data-status={status}
      role="img"
      aria-label={words[status]}
      title={words[status]}
    >
      <StatusIcon size={16} aria-hidden />
    </span>
  );
}

interface OwnProps {
  message: Message;
  chat: ChatController;
}

function Failed({ message: { id }, chat }: OwnProps) {
  const { chats: words, common } = useWords();
  const { failures } = useStore(chat.store);
  const why = failures[id];
  return (
    <>
      <MessageFailure>{why ? `${why.title}. ${why.advice}` : words.failed}</MessageFailure>
      <div className={classes['buttons']}>
        <Button size="sm" onClick={() => chat.retry(id)} data-testid="retry">
          {common.tryAgain}
        </Button>
        <Button size="sm" variant="outline" onClick={() => chat.discard(id)} data-testid="discard">
          {words.discard}
        </Button>
      </div>
    </>
  );
}

function Reactions({ message, chat, own, isDisabled }: OwnProps & { own: string; isDisabled: boolean }) {
  const words = useWords().chats;
  const given = countedReactions(message, own);
  if (given.length === 0) return null;
  return (
    <div className={classes['buttons']}>
      {given.map(({ emoji, count, isOwn }) => (
        <button
          key={emoji}
          type="button"
          className={classes['reaction']}
          aria-pressed={isOwn}
          disabled={isDisabled}
          aria-label={words.reaction(emoji, count, isOwn)}
          onClick={() => void chat.react(message, emoji, !isOwn)}
          data-testid="reaction"
          data-emoji={emoji}
        >
          {emoji}
          {count > 1 && <span>{count}</span>}
        </button>
      ))}
    </div>
  );
}
