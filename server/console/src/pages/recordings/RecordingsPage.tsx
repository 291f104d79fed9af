import { IconPlayerRecord } from '@tabler/icons-react';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { CardList } from '../../ui/CardList.tsx';
import { Page } from '../../ui/Page.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { RecordingItem } from './RecordingItem.tsx';

/** What was recorded for this wallet: to play, keep and delete. */
export function RecordingsPage() {
  const { wallet } = useSignedIn();
  if (wallet) return <Recordings />;
  return (
    <NoWallet title="Recordings need a wallet">
      Streams, rooms and calls are recorded for wallets, and your account has none yet. Link one on the
      account page.
    </NoWallet>
  );
}

function Recordings() {
  const { recordings } = useWalletData();
  return (
    <Page title="Recordings" hint="Your streams, and the rooms and calls that you had recorded.">
      <CardList
        resource={recordings.list}
        what="your recordings"
        empty={{
          icon: IconPlayerRecord,
          title: 'No recordings',
          text: 'Ask for one when you make a stream, record a room that you host, or a call: it appears here by itself.',
        }}
      >
        {(recording) => <RecordingItem key={recording.id} recording={recording} />}
      </CardList>
    </Page>
  );
}
