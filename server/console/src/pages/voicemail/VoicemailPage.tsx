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

/** The voicemails left for this wallet. */
export function VoicemailPage() {
  const { wallet } = useSignedIn();
  if (wallet) return <Voicemails />;
  return (
    <NoWallet title="Voicemail needs a wallet">
      Voicemails are for wallets, and your account has no wallet yet. Link one on your profile page.
    </NoWallet>
  );
}

function Voicemails() {
  const { voicemails } = useWalletData();
  const { value, isLoading, problem } = useLoaded(voicemails.list);
  return (
    <Page title="Voicemail" hint="Messages from callers who did not reach you.">
      {problem && <ProblemAlert problem={problem} onRetry={() => void voicemails.list.refresh()} />}
      {value === null && isLoading && <LoadingRows what="your voicemails" height={96} />}
      {value?.length === 0 && (
        <section className="parley-card">
          <Empty icon={IconRecordMail} title="No voicemails">
            Callers who do not reach you can leave a voicemail. It appears here automatically.
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
