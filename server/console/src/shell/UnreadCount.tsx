import { Badge } from '@mantine/core';
import { useSignedIn } from '../session/ParleyClient.tsx';
import type { WalletData } from '../session/SessionController.ts';
import { useStore } from '../session/Store.ts';
import { counted } from '../ui/numbers.ts';
import classes from './Shell.module.css';

type Of = 'chats' | 'voicemails';

/** How much is unread, beside a page's name. */
export function UnreadCount({ of }: { of: Of }) {
  const { wallet } = useSignedIn();
  return wallet && (of === 'chats' ? <OfChats wallet={wallet} /> : <OfVoicemails wallet={wallet} />);
}

function OfChats({ wallet }: { wallet: WalletData }) {
  const { items } = useStore(wallet.chats.conversations.store);
  const count = (items ?? []).reduce((sum, { unreadCount }) => sum + unreadCount, 0);
  return <Count count={count} of="chats" what="message" />;
}

function OfVoicemails({ wallet }: { wallet: WalletData }) {
  const { value } = useStore(wallet.voicemails.list.store);
  const count = (value ?? []).filter(({ isRead }) => !isRead).length;
  return <Count count={count} of="voicemails" what="voicemail" />;
}

function Count({ count, of, what }: { count: number; of: Of; what: string }) {
  if (count === 0) return null;
  return (
    <Badge
      size="sm"
      className={classes['unread'] ?? ''}
      aria-label={counted(count, `unread ${what}`)}
      data-testid={`unread-${of}`}
    >
      {count > 99 ? '99+' : count}
    </Badge>
  );
}
