import { isGroup } from '@parley/sdk';
import { useEffect, useRef, useState, type DragEvent, type ReactNode } from 'react';
import { Bubbles } from '../conversation/Bubbles.tsx';
import { useServices } from '../core/ParleyProvider.tsx';
import { GroupStandingNotice } from '../groups/GroupStandingNotice.tsx';
import { useGroup } from '../groups/useGroup.ts';
import { useTypingLine } from '../groups/useTypingLine.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Text } from '../ui/Basics.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { startsOfRuns, type Composing } from './chatState.ts';
import { ChatBubble } from './ChatBubble.tsx';
import { ChatComposer } from './ChatComposer.tsx';
import { ChatHeading } from './ChatHeading.tsx';
import classes from './Chats.module.css';
import { ChatSearch } from './ChatSearch.tsx';
import { createChats } from './ChatsController.ts';
import { useBlocked, useChat } from './useChat.ts';
import { useDraft } from './useDraft.ts';
import { useReadMarks } from './useReadMarks.ts';

interface Props {
  /** The wallet to chat with, or the id of a group. */
  with: string;
  /** Shows a button to go back, for phones, which show either the list or a chat. @default no button */
  onBack?: () => void;
  /** Whether to show buttons that call the wallet; not in groups. The app needs a `<CallScreen>` then. @default false */
  hasCalls?: boolean;
  /** Lets the user leave a voicemail; not in groups. @default no voicemail */
  onVoicemail?: (to: string) => void;
  /** Further buttons in the heading. */
  tools?: ReactNode;
}

/** The chat with one wallet or of a group: its messages and the composer. It fills its container, which needs a height. */
export function Chat(props: Props) {
  // Another chat has another draft.
  return <ChatWith key={props.with} {...props} />;
}

function ChatWith({ with: peer, tools, ...heading }: Props) {
  const chats = useServices().get(createChats);
  const { own } = chats;
  const chat = useChat(peer);
  const { messages, pending, hasMore, hasNewer, isLoadingMore, isLoading, typing } = chat;
  const words = useWords().chats;
  const { group, ...groupState } = useGroup(peer);
  const typingLine = useTypingLine(typing);
  const problem = chat.problem ?? groupState.problem;
  const retry = () => Promise.all([chat.refresh(), isGroup(peer) && groupState.refresh()]);
  const { isBlocked } = useBlocked(peer);
  useReadMarks(messages, chat.markAsRead);
  const [draft, changeDraft] = useDraft(chats.with(peer), own);
  const [composing, setComposing] = useState<Composing>(null);
  const field = useFocusOnChange(composing);
  const [isSearching, setSearching] = useState(false);
  const drop = useDrop((dropped) => changeDraft(({ files }) => ({ files: [...files, ...dropped] })));
  const isWriting = !isGroup(peer) || group?.standing === 'member';
  const all = messages && [...(hasNewer ? [] : [...pending].reverse()), ...messages];
  const starts = startsOfRuns(all ?? []);
  // The invitation is in the middle.
  const isOnlyInvited = group?.standing === 'invited' && all?.length === 0;
  return (
    <div className={classes['chat']} {...drop.handlers}>
      <ChatHeading
        peer={peer}
        isSearching={isSearching}
        onSearch={() => setSearching(!isSearching)}
        tools={tools}
        {...heading}
      />
      {isSearching && <ChatSearch with={peer} onOpen={() => setSearching(false)} />}
      {problem && <ProblemAlert problem={problem} onRetry={() => void retry()} />}
      {!all && isLoading && (
        <div className={classes['loading']} role="status">
          <Spinner /> {words.loading}
        </div>
      )}
      {all && !isSearching && !isOnlyInvited && (
        <Bubbles
          messages={all}
          writtenAt={({ timestamp }) => timestamp}
          onNearStart={() => void chat.more()}
          older={{ hasMore, isLoadingMore, more: chat.more }}
          newer={{ hasMore: hasNewer, more: chat.newer, toLatest: chat.latest }}
          target={chat.target}
          onTarget={chats.with(peer).shown}
        >
          {(message) => (
            <ChatBubble
              message={message}
              peer={peer}
              own={own}
              isFirstOfRun={starts.has(message.id)}
              onCompose={isWriting ? setComposing : null}
            />
          )}
        </Bubbles>
      )}
      <p className={classes['typing']} role="status" data-testid="typing">
        {typingLine !== null && (
          <>
            {typingLine}
            <span className={classes['dots']} aria-hidden>
              <i />
              <i />
              <i />
            </span>
          </>
        )}
      </p>
      {group && !isWriting && <GroupStandingNotice group={group} />}
      {isBlocked && (
        <Text size="sm" isDimmed>
          {words.blockedHint}
        </Text>
      )}
      {isWriting && !isBlocked && (
        <ChatComposer
          key={composing?.is === 'edit' ? `edit ${composing.message.id}` : 'new'}
          peer={peer}
          composing={composing}
          // An edit may be stored when another one has begun.
          onDone={() => setComposing((now) => (now === composing ? null : now))}
          draft={draft.text}
          setDraft={(text) => changeDraft(() => ({ text }))}
          files={draft.files}
          setFiles={(files) => changeDraft(() => ({ files }))}
          field={field}
        />
      )}
      {drop.isOver && <div className={classes['drop']}>{words.drop}</div>}
    </div>
  );
}

/**
 * Focuses the text field when a reply or an edit begins or ends, at the end of the text.
 * @returns the ref of the field
 */
function useFocusOnChange(composing: Composing) {
  const field = useRef<HTMLTextAreaElement>(null);
  const before = useRef(composing);
  useEffect(() => {
    if (composing === before.current) return;
    before.current = composing;
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, [composing]);
  return field;
}

/** Passes files that are dropped on the chat to `take`. */
function useDrop(take: (files: File[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const depth = useRef(0);
  const set = (change: number) => {
    depth.current = Math.max(0, depth.current + change);
    setIsOver(depth.current > 0);
  };
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  useEffect(() => {
    // Otherwise, a file dropped outside the chat would replace the page.
    const keep = (event: Event) => event.preventDefault();
    window.addEventListener('dragover', keep);
    window.addEventListener('drop', keep);
    return () => {
      window.removeEventListener('dragover', keep);
      window.removeEventListener('drop', keep);
    };
  }, []);
  const handlers = {
    onDragEnter: (event: DragEvent) => hasFiles(event) && set(1),
    onDragLeave: (event: DragEvent) => hasFiles(event) && set(-1),
    onDrop: (event: DragEvent) => {
      set(-depth.current);
      if (hasFiles(event)) take([...event.dataTransfer.files]);
    },
  };
  return { isOver, handlers };
}
