import { IconRecordMail } from '@tabler/icons-react';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn, useWalletData } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { NoWallet } from '../calls/NoWallet.tsx';
import classes from './Voicemail.module.css';
import { VoicemailItem } from './VoicemailItem.tsx';

/** What was spoken for this wallet while nobody answered. */
export function VoicemailPage() {
  const { wallet } = useSignedIn();
  if (wallet) return <Voicemails />;
  return (
    <NoWallet title="Voicemail needs a wallet">
      Voicemails are left for wallets, and your account has none yet. Link one on the account page.
    </NoWallet>
  );
}

function Voicemails() {
  const { voicemails } = useWalletData();
  const { value, isLoading, problem } = useLoaded(voicemails.list);
  return (
    <Page title="Voicemail" hint="What people said who did not reach you.">
      {problem && <ProblemAlert problem={problem} onRetry={() => void voicemails.list.refresh()} />}
      {value === null && isLoading && <LoadingRows what="your voicemails" height={96} />}
      {value?.length === 0 && (
        <section className="parley-card">
          <Empty icon={IconRecordMail} title="No voicemails">
            Who calls and is not answered can leave one: it appears here by itself.
          </Empty>
        </section>
      )}
      {value !== null && value.length > 0 && (
        <ul className={classes['list']}>
          {value.map((voicemail) => (
            <VoicemailItem key={voicemail.id} voicemail={voicemail} />
          ))}
        </ul>
      )}
    </Page>
  );
}
