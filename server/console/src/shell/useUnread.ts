import { useList } from '../data/useList.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';

export type UnreadKind = 'chats' | 'voicemails' | 'texts';

/** The interval at which threads are polled, because the server sends no events for incoming texts. */
const textsEveryMs = 30_000;

/** The current number of unread items of each kind. */
export function useUnread(): Record<UnreadKind, number> {
  const { wallet, queries } = useSignedIn();
  // Accounts without a wallet have neither chats nor voicemails.
  const isRead = wallet !== null;
  const chats = useList(queries.conversations, { isRead });
  const voicemails = useList(queries.voicemails, { isRead });
  const texts = useList(queries.threads, { everyMs: textsEveryMs });
  return {
    chats: sumUnread(chats.value),
    voicemails: (voicemails.value ?? []).filter((each) => !each.isRead).length,
    texts: sumUnread(texts.value),
  };
}

const sumUnread = (items: { unreadCount: number }[] | null) =>
  (items ?? []).reduce((sum, { unreadCount }) => sum + unreadCount, 0);
