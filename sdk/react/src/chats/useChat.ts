import { useEffect } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { useConnection } from '../core/useConnection.ts';
import { useStore } from '../core/Store.ts';
import type { ChatController } from './ChatController.ts';
import { createChats } from './ChatsController.ts';
import type { ChatState } from './chatState.ts';
import type { ConversationsState } from './Conversations.ts';

export interface ConversationsControl extends ConversationsState {
  refresh: () => Promise<void>;
  /** Loads the next page. */
  more: () => Promise<void>;
}

/** The conversations of the signed-in wallet, latest first. @param isLoaded false loads none, for example while signed out. @default true */
export function useConversations(isLoaded = true): ConversationsControl {
  const { conversations } = useServices().get(createChats);
  const state = useStore(conversations.store);
  useEffect(() => {
    if (isLoaded) void conversations.refresh();
  }, [conversations, isLoaded]);
  return { ...state, refresh: conversations.refresh, more: conversations.more };
}

/**
 * The number of unread messages, and of invitations to groups, in the conversations that are loaded.
 * @param isLoaded false loads none. @default true
 */
export const useUnread = (isLoaded = true): number =>
  (useConversations(isLoaded).conversations ?? []).reduce(
    (sum, { unreadCount, group }) => sum + unreadCount + (group?.standing === 'invited' ? 1 : 0),
    0,
  );

export interface ChatControl
  extends
    ChatState,
    Pick<ChatController, 'send' | 'edit' | 'delete' | 'more' | 'newer' | 'show' | 'latest' | 'refresh'> {
  /** The other wallets that are typing. */
  typing: readonly string[];
  /** Whether another wallet is typing. */
  isTyping: boolean;
  /** Tells the others whether this wallet is typing. */
  setTyping: (isTyping: boolean) => void;
  /** Marks the received messages as read. */
  markAsRead: () => void;
}

/**
 * The messages with one wallet or of one group, which are loaded when the component is mounted, and again when the window gets the focus or
 * another wallet signs in.
 * @param peer the other wallet, or the id of the group
 */
export function useChat(peer: string): ChatControl {
  const chats = useServices().get(createChats);
  const chat = chats.with(peer);
  const state = useStore(chat.store);
  const typing = useTypists(peer);
  const isClosed = useConnection() === 'closed';
  useEffect(() => {
    void chat.refresh();
    const again = () => void (document.visibilityState === 'visible' && chat.refresh());
    document.addEventListener('visibilitychange', again);
    return () => document.removeEventListener('visibilitychange', again);
  }, [chat, isClosed]);
  return {
    ...state,
    typing,
    isTyping: typing.length > 0,
    send: (content, file, replyTo) => chat.send(content, file, replyTo),
    edit: chat.edit,
    delete: chat.delete,
    more: chat.more,
    newer: chat.newer,
    show: chat.show,
    latest: chat.latest,
    refresh: chat.refresh,
    setTyping: (typing) => chat.typing(typing),
    markAsRead: chat.markAsRead,
  };
}

/** @internal The other wallets that are typing in a chat. */
export const useTypists = (peer: string): readonly string[] =>
  useStore(useServices().get(createChats).typing).get(peer) ?? none;
const none: readonly string[] = [];

/** Whether this wallet has blocked another one, and a function to change it. @throws ParleyError as `client.calls.block()` */
export function useBlocked(address: string): {
  isBlocked: boolean;
  set: (isBlocked: boolean) => Promise<void>;
} {
  const chats = useServices().get(createChats);
  const blocked = useStore(chats.blocked);
  const isClosed = useConnection() === 'closed';
  useEffect(() => void chats.loadBlocked(), [chats, isClosed]);
  return {
    isBlocked: blocked?.has(address) ?? false,
    set: (isBlocked) => chats.setBlocked(address, isBlocked),
  };
}
