import { Bubbles, ProblemAlert, useStore } from '@parley/react';
import { shortAddress } from '@parley/sdk';
import { Stack, Text } from '@mantine/core';
import { focusManager } from '@tanstack/react-query';
import { useEffect, useRef, useState, type DragEvent } from 'react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { ChatBubble } from './ChatBubble.tsx';
import { ChatComposer } from './ChatComposer.tsx';
import { ChatHeading } from './ChatHeading.tsx';
import own from './Chats.module.css';
import { useReadMarks } from './useReadMarks.ts';

/** The chat with one wallet: its messages and the composer. */
export function ChatView({ peer }: { peer: string }) {
  const { chats } = useWalletData();
  const chat = chats.with(peer);
  const { messages, pending, hasMore, isLoading, isLoadingMore, problem } = useStore(chat.store);
  useEffect(() => {
    void chat.refresh();
    return focusManager.subscribe((isFocused) => void (isFocused && chat.refresh()));
  }, [chat]);
  const blocked = useLoaded(useSignedIn().queries.blocked).value ?? [];
  const isTyping = useStore(chats.typing).has(peer);
  useReadMarks(chat);
  const [files, setFiles] = useState<File[]>([]);
  const drop = useDrop((dropped) => setFiles((before) => [...before, ...dropped]));
  const all = messages && [...pending.toReversed(), ...messages];
  const isBlocked = blocked.includes(peer);
  return (
    <Stack pos="relative" gap={8} flex={1} mih={0} {...drop.handlers}>
      <ChatHeading peer={peer} isBlocked={isBlocked} />
      {problem && <ProblemAlert problem={problem} onRetry={() => void chat.refresh()} />}
      {!all && isLoading && <LoadingRows what="the messages" rows={4} height={44} />}
      {all && (
        <Bubbles
          messages={all}
          writtenAt={({ timestamp }) => timestamp}
          onNearStart={() => void chat.more()}
          older={{ hasMore, isLoadingMore, more: chat.more }}
        >
          {(message) => <ChatBubble message={message} chat={chat} own={chats.own} />}
        </Bubbles>
      )}
      <Text size="xs" c="dimmed" mih="1.25rem" role="status" data-testid="typing">
        {isTyping && (
          <>
            {shortAddress(peer)} is typing
            <span className={own['dots']} aria-hidden>
              <i />
              <i />
              <i />
            </span>
          </>
        )}
      </Text>
      {isBlocked ? (
        <Text size="sm" c="dimmed">
          You blocked this wallet, so you receive no messages or calls from it. Unblock it in the menu above
          to write.
        </Text>
      ) : (
        <ChatComposer chat={chat} files={files} setFiles={setFiles} />
      )}
      {drop.isOver && <div className={own['drop']}>Drop images, videos or audio files to attach them</div>}
    </Stack>
  );
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
