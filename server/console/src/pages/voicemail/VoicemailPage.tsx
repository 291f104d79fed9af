import { IconRecordMail } from '@tabler/icons-react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import cards from '../../ui/Cards.module.css';
import { VoicemailItem } from './VoicemailItem.tsx';

/** The voicemails left for this wallet. */
export function VoicemailPage() {
  const list = useList(useSignedIn().queries.voicemails);
  return (
    <Page title="Voicemail" hint="Messages from callers who did not reach you.">
      <LoadedList
        list={list}
        what="your voicemails"
        rowHeight={96}
        empty={
          <Empty icon={IconRecordMail} title="No voicemails" isCard>
            Callers who do not reach you can leave a voicemail. It appears here automatically.
          </Empty>
        }
        className={cards['list']}
      >
        {(voicemail) => <VoicemailItem key={voicemail.id} voicemail={voicemail} />}
      </LoadedList>
    </Page>
  );
}
