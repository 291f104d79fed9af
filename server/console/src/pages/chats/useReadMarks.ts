import { useEffect } from 'react';
import type { Chat } from '../../chats/Chat.ts';
import { useStore } from '../../session/Store.ts';

/** Marks a chat as read while its messages are visible. Messages that arrive while the window is hidden wait until it is visible. */
export function useReadMarks(chat: Chat): void {
  const { messages } = useStore(chat.store);
  useEffect(() => {
    const mark = () => {
      if (document.visibilityState === 'visible') chat.markAsRead();
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [chat, messages]);
}
