import { useEffect } from 'react';
import type { Chat } from '../../chats/Chat.ts';
import { useStore } from '../../session/Store.ts';

/** What is in sight is read: not what comes while the window is hidden, until somebody looks. */
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
