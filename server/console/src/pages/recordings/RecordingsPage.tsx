import { IconPlayerRecord } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { useList } from '../../data/useList.ts';
import { useLoaded } from '../../data/useLoaded.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import cards from '../../ui/Cards.module.css';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Page } from '../../ui/Page.tsx';
import { RecordingItem } from './RecordingItem.tsx';

/** This wallet's recordings, to play, download and delete. A link with `?recording=<id>` scrolls to one. */
export function RecordingsPage() {
  const target = useSearchParams()[0].get('recording');
  const { queries } = useSignedIn();
  const list = useList(queries.recordings);
  // It may be older than those of the first page.
  const isMissing = target !== null && list.hasMore && list.value?.every(({ id }) => id !== target) === true;
  const { value: linked } = useLoaded(queries.recording(target ?? ''), { isRead: isMissing });
  const value = list.value && (isMissing && linked ? [...list.value, linked] : list.value);
  return (
    <Page title="Recordings" hint="Recordings of your streams, rooms and calls.">
      <LoadedList
        list={{ ...list, value }}
        what="your recordings"
        rowHeight={84}
        empty={
          <Empty icon={IconPlayerRecord} title="No recordings yet" isCard>
            Record a stream, a call or a room that you host. The recording appears here automatically.
          </Empty>
        }
        className={cards['list']}
      >
        {(recording) => (
          <RecordingItem key={recording.id} recording={recording} isTarget={recording.id === target} />
        )}
      </LoadedList>
    </Page>
  );
}
