import type { Message } from '@parley/sdk';
import { useEffect } from 'react';

/** Marks a chat's messages as read while they are visible. Those that arrive in a hidden window are marked once it is visible again. */
export function useReadMarks(messages: Message[] | null, markAsRead: () => void): void {
  useEffect(() => {
    const mark = () => {
      if (document.visibilityState === 'visible') markAsRead();
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [markAsRead, messages]);
}
