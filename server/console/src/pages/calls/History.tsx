import { Button } from '@mantine/core';
import { IconPhoneCall } from '@tabler/icons-react';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { Empty } from '../../ui/Empty.tsx';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';
import { useNow } from '../../ui/useNow.ts';
import classes from './CallsPage.module.css';
import { HistoryItem } from './HistoryItem.tsx';

/** Past calls, newest first. */
export function History() {
  const { history } = useSignedIn();
  const { records, hasMore, isLoading, problem } = useStore(history.store);
  const now = useNow(30_000);
  return (
    <Section title="History" testId="history">
      {problem && <ProblemAlert problem={problem} onRetry={() => void history.refresh()} />}
      {records === null && isLoading && <LoadingRows what="your calls" />}
      {records?.length === 0 && (
        <Empty icon={IconPhoneCall} title="No calls yet">
          Call someone or share your call link. Your calls are listed here.
        </Empty>
      )}
      {records !== null && records.length > 0 && (
        <ul className={classes['list']}>
          {records.map((record) => (
            <HistoryItem key={record.id} record={record} now={now} />
          ))}
        </ul>
      )}
      {hasMore && (
        <Button variant="default" fullWidth mt="sm" loading={isLoading} onClick={() => void history.more()}>
          Show older calls
        </Button>
      )}
    </Section>
  );
}
