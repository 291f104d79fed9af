import { useStore } from '@parley/react';
import { useEffect } from 'react';
import type { Chat } from '../../chats/Chat.ts';

/** Marks a chat's messages as read while they are visible. Those that arrive in a hidden window are marked once it is visible again. */
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
