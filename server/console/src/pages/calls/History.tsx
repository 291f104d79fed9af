import { useNow } from '@parley/react';
import { IconPhoneCall } from '@tabler/icons-react';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { Section } from '../../ui/Section.tsx';
import classes from './CallsPage.module.css';
import { HistoryItem } from './HistoryItem.tsx';

/** Past calls, newest first. */
export function History() {
  const list = useList(useSignedIn().queries.callHistory);
  const now = useNow(30_000);
  return (
    <Section title="History" testId="history">
      <LoadedList
        list={list}
        what="your calls"
        rowHeight={52}
        empty={
          <Empty icon={IconPhoneCall} title="No calls yet">
            Start a call or share your call link. Your calls appear here.
          </Empty>
        }
        more="Show older calls"
        className={classes['list']}
      >
        {(record) => <HistoryItem key={record.id} record={record} now={now} />}
      </LoadedList>
    </Section>
  );
}
