import { useUnread as useUnreadMessages } from '@parley/react';
import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { useMissedCalls } from './useMissedCalls.ts';

export type UnreadKind = 'calls' | 'chats' | 'voicemails' | 'texts';

/** The interval at which threads are polled, because the server sends no events for incoming texts. */
const textsEveryMs = 30_000;

/** The current number of unread items of each kind. */
export function useUnread(): Record<UnreadKind, number> {
  const { wallet, queries } = useSignedIn();
  // Accounts without a wallet have neither chats nor voicemails.
  const isRead = wallet !== null;
  const calls = useMissedCalls();
  const chats = useUnreadMessages(isRead);
  const voicemails = useList(queries.voicemails, { isRead });
  const texts = useList(queries.threads, { everyMs: textsEveryMs });
  return {
    calls,
    chats,
    voicemails: (voicemails.value ?? []).filter((each) => !each.isRead).length,
    texts: (texts.value ?? []).reduce((sum, { unreadCount }) => sum + unreadCount, 0),
  };
}

export const sumUnread = (unread: Record<UnreadKind, number>) =>
  Object.values(unread).reduce((sum, count) => sum + count, 0);
