import { isGuest } from '@parley/sdk';
import { IconMessageCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { atClock, atMoment } from '../core/format.ts';
import { useIsBrowser } from '../core/useSupport.ts';
import { GuestMark } from '../people/GuestMark.tsx';
import { partyName } from '../people/partyName.ts';
import { Empty } from '../ui/Basics.tsx';
import { useKeptFocus } from '../ui/useKeptFocus.ts';
import { useWords } from '../words/WordsContext.tsx';
import { Bubbles } from './Bubbles.tsx';
import classes from './Conversation.module.css';
import { MessageBubble, MessageState, MessageText } from './MessageBubble.tsx';

/** A message in the chat of a room or a stream. */
export interface ChatEntry {
  message: { id: string; from: string; content: string; timestamp: Date };
  sender: { walletAddress: string; displayName: string | null };
}

interface Props<One extends ChatEntry> {
  /** Oldest first. */
  chat: One[];
  /** The viewer's own wallet or `guest:…`, whose messages are on the right; null for a viewer without either. */
  own: string | null;
  /** The heading of an empty chat. @default 'No messages yet' */
  emptyTitle?: string;
  /** The text of an empty chat, which says who can read the messages and for how long. */
  empty: string;
  /** The actions on a message. */
  actions?: (said: One) => ReactNode;
  /** The composer, or why the user cannot write. */
  children: ReactNode;
  testId: string;
}

/** The chat of a room or a stream. */
export function GroupChat<One extends ChatEntry>(props: Props<One>) {
  const { chat, own, emptyTitle, empty, actions, children, testId } = props;
  const { noMessages } = useWords().conversation;
  const messages = chat.map((said) => ({ id: said.message.id, said })).reverse();
  const box = useKeptFocus<HTMLDivElement>();
  return (
    <div ref={box} tabIndex={-1} className={classes['chat']}>
      {messages.length === 0 ? (
        <div className={classes['none']}>
          <Empty icon={IconMessageCircle} title={emptyTitle ?? noMessages}>
            {empty}
          </Empty>
        </div>
      ) : (
        <Bubbles messages={messages} writtenAt={({ said }) => said.message.timestamp}>
          {({ said }) => <Bubble said={said} own={own} actions={actions?.(said)} testId={testId} />}
        </Bubbles>
      )}
      {children}
    </div>
  );
}

interface BubbleProps {
  said: ChatEntry;
  own: string | null;
  actions: ReactNode;
  testId: string;
}

function Bubble({ said: { message, sender }, own, actions, testId }: BubbleProps) {
  const { you } = useWords().conversation;
  const isBrowser = useIsBrowser();
  const isMine = message.from === own;
  return (
    <MessageBubble direction={isMine ? 'outbound' : 'inbound'} data-testid={`${testId}-message`}>
      {(!isMine || actions) && (
        <div className={classes['line']}>
          <span className={classes['author']} dir="auto">
            {isMine ? you : (sender.displayName ?? partyName(sender.walletAddress))}{' '}
            {!isMine && isGuest(sender.walletAddress) && <GuestMark />}
          </span>
          {actions}
        </div>
      )}
      <MessageText text={message.content} />
      <MessageState>
        <time
          dateTime={message.timestamp.toISOString()}
          title={isBrowser ? atMoment(message.timestamp) : undefined}
        >
          {isBrowser && atClock(message.timestamp)}
        </time>
      </MessageState>
    </MessageBubble>
  );
}
