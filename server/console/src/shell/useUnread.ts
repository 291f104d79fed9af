import type { Conversation, Voicemail } from '@parley/sdk';
import type { ListState } from '../data/PagedList.ts';
import type { Loaded } from '../data/Resource.ts';
import { useLoaded } from '../data/useLoaded.ts';
import { useRefreshEvery } from '../data/useRefreshEvery.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { Store, useStore } from '../session/Store.ts';

export type UnreadKind = 'chats' | 'voicemails' | 'texts';

/** The interval at which threads are polled, because the server sends no events for incoming texts. */
const textsRefreshMs = 30_000;

// Used for accounts without a wallet, which have neither chats nor voicemails.
const noChats = new Store<Pick<ListState<Conversation>, 'items'>>({ items: null });
const noVoicemails = new Store<Pick<Loaded<Voicemail[]>, 'value'>>({ value: null });

/** The current number of unread items of each kind. */
export function useUnread(): Record<UnreadKind, number> {
  const { wallet, phone } = useSignedIn();
  const chats = useStore<Pick<ListState<Conversation>, 'items'>>(
    wallet?.chats.conversations.store ?? noChats,
  );
  const voicemails = useStore<Pick<Loaded<Voicemail[]>, 'value'>>(
    wallet?.voicemails.list.store ?? noVoicemails,
  );
  const texts = useLoaded(phone.threads);
  useRefreshEvery(textsRefreshMs, phone.threads.refresh);
  return {
    chats: sumUnread(chats.items),
    voicemails: (voicemails.value ?? []).filter(({ isRead }) => !isRead).length,
    texts: sumUnread(texts.items),
  };
}

const sumUnread = (items: { unreadCount: number }[] | null) =>
  (items ?? []).reduce((sum, { unreadCount }) => sum + unreadCount, 0);
