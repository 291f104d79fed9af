import { isGroup, type Message } from '@parley/sdk';
import { useState, type FormEvent } from 'react';
import { Linkified } from '../conversation/Linkified.tsx';
import { atMoment } from '../core/format.ts';
import { useParley, useServices } from '../core/ParleyProvider.tsx';
import { useAction } from '../core/useAction.ts';
import { GroupName } from '../groups/GroupName.tsx';
import { Name } from '../people/Name.tsx';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Text } from '../ui/Basics.tsx';
import { Button } from '../ui/Button.tsx';
import { TextField } from '../ui/Fields.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Chats.module.css';
import { createChats } from './ChatsController.ts';
import { peerOf } from './chatState.ts';
import { messagePreview } from './messagePreview.ts';

interface Props {
  /** Searches only the chat with this wallet, or of this group. @default all chats */
  with?: string;
  /** Opens the chat of a message that the user has chosen. The chat shows the message, also if it is open already. */
  onOpen?: (peer: string) => void;
}

interface Found {
  query: string;
  messages: Message[];
  cursor: string | null;
}

/** Finds messages by their words, in one chat or in all. */
export function ChatSearch({ with: peer, onOpen }: Props) {
  const client = useParley();
  const words = useWords();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Found | null>(null);
  const { run, isRunning, problem } = useAction(async (before: Found | null) => {
    const searched = before?.query ?? query.trim();
    const { data, nextCursor } = await client.messages.search({
      query: searched,
      ...(peer !== undefined && { with: peer }),
      ...(before?.cursor && { cursor: before.cursor }),
    });
    setFound({ query: searched, messages: [...(before?.messages ?? []), ...data], cursor: nextCursor });
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (query.trim()) void run(null);
  };
  return (
    <section className={classes['search']} aria-label={words.chats.search}>
      <form className={classes['searchForm']} onSubmit={onSubmit} role="search">
        <TextField
          label={peer === undefined ? words.chats.searchAll : words.chats.searchThis}
          isLabelHidden
          placeholder={words.chats.searchHint}
          value={query}
          maxLength={200}
          onChange={({ currentTarget }) => setQuery(currentTarget.value)}
          autoFocus
          data-testid="search-query"
        />
        <Button type="submit" variant="light" isLoading={isRunning} data-testid="search-now">
          {words.chats.search}
        </Button>
      </form>
      {problem && <ProblemAlert problem={problem} />}
      <div role="status">
        {found?.messages.length === 0 && (
          <Text size="sm" isDimmed>
            {words.chats.nothingFound}
          </Text>
        )}
      </div>
      <ul className={classes['results']}>
        {found?.messages.map((message) => (
          <Result key={message.id} message={message} onOpen={onOpen} isOneChat={peer !== undefined} />
        ))}
      </ul>
      {found?.cursor && (
        <Button variant="outline" size="sm" isLoading={isRunning} onClick={() => void run(found)}>
          {words.chats.moreResults}
        </Button>
      )}
    </section>
  );
}

function Result({
  message,
  onOpen,
  isOneChat,
}: {
  message: Message;
  onOpen: Props['onOpen'];
  isOneChat: boolean;
}) {
  const words = useWords();
  const chats = useServices().get(createChats);
  const { own } = chats;
  const { from, timestamp, content } = message;
  const peer = peerOf(message, own);
  const isOfGroup = isGroup(peer) && !isOneChat;
  const sender = from === own ? words.conversation.you : <Name address={from} />;
  return (
    <li className={classes['result']} data-testid="found-message">
      <button
        type="button"
        className={classes['resultTop']}
        title={words.chats.showOriginal}
        onClick={() => {
          void chats.with(peer).show(message.id);
          onOpen?.(peer);
        }}
      >
        <strong>
          {isOneChat && sender}
          {isOfGroup && <GroupName id={peer} />}
          {!isOneChat && !isOfGroup && <Name address={peer} />}
        </strong>
        <time dateTime={timestamp.toISOString()}>{atMoment(timestamp)}</time>
      </button>
      <span className={classes['resultText']}>
        {isOfGroup && <>{sender}: </>}
        {content ? <Linkified text={content} /> : messagePreview(message, own, words)}
      </span>
    </li>
  );
}
