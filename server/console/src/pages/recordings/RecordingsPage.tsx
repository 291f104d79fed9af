import { IconPlayerRecord } from '@tabler/icons-react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import classes from '../rooms/RoomsPage.module.css';
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
  const { value, isLoading, problem } = useLoaded(recordings.list);
  return (
    <Page title="Recordings" hint="Your streams, and the rooms and calls that you had recorded.">
      {problem && <ProblemAlert problem={problem} onRetry={() => void recordings.list.refresh()} />}
      {value === null && isLoading && <LoadingRows what="your recordings" height={84} />}
      {value?.length === 0 && (
        <section className="parley-card">
          <Empty icon={IconPlayerRecord} title="No recordings">
            Ask for one when you make a stream, record a room that you host, or a call: it appears here by
            itself.
          </Empty>
        </section>
      )}
      {value !== null && value.length > 0 && (
        <ul className={classes['list']}>
          {value.map((recording) => (
            <RecordingItem key={recording.id} recording={recording} />
          ))}
        </ul>
      )}
    </Page>
  );
}
