import { IconPlayerRecord } from '@tabler/icons-react';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { CardList } from '../../ui/CardList.tsx';
import { Page } from '../../ui/Page.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import { RecordingItem } from './RecordingItem.tsx';

/** This wallet's recordings, to play, download and delete. */
export function RecordingsPage() {
  const { wallet } = useSignedIn();
  if (wallet) return <Recordings />;
  return (
    <NoWallet title="Recordings need a wallet">
      Recordings of streams, rooms and calls belong to a wallet, and your account has no wallet yet. Link one
      on your profile page.
    </NoWallet>
  );
}

function Recordings() {
  const { recordings } = useWalletData();
  return (
    <Page title="Recordings" hint="Recordings of your streams, rooms and calls.">
      <CardList
        resource={recordings.list}
        what="your recordings"
        empty={{
          icon: IconPlayerRecord,
          title: 'No recordings yet',
          text: 'Record a stream, a call or a room that you host. The recording appears here automatically.',
        }}
      >
        {(recording) => <RecordingItem key={recording.id} recording={recording} />}
      </CardList>
    </Page>
  );
}
