import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { IconPhoneCall } from '@tabler/icons-react';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { useStore } from '../../session/Store.ts';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { useNow } from '../../ui/useNow.ts';
import classes from './CallsPage.module.css';
import { HistoryItem } from './HistoryItem.tsx';

/** Calls that are over, newest first. */
export function History() {
  const { history } = useSignedIn();
  const { records, hasMore, isLoading, problem } = useStore(history.store);
  const now = useNow(30_000);
  return (
    <section className="parley-card" aria-labelledby="history-heading" data-testid="history">
      <h2 className={classes['heading']} id="history-heading">
        History
      </h2>
      {problem && <ProblemAlert problem={problem} onRetry={() => void history.refresh()} />}
      {records === null && isLoading && <Loading />}
      {records?.length === 0 && <Empty />}
      {records !== null && records.length > 0 && (
        <ul className={classes['list']}>
          {records.map((record) => (
            <HistoryItem key={record.id} record={record} now={now} />
          ))}
        </ul>
      )}
      {hasMore && (
        <Button variant="default" fullWidth mt="sm" loading={isLoading} onClick={() => void history.more()}>
          Show earlier calls
        </Button>
      )}
    </section>
  );
}

function Loading() {
  return (
    <Stack mt="md" gap="md" role="status" aria-label="Loading your calls">
      {[1, 2, 3].map((row) => (
        <Skeleton key={row} height={44} radius="md" />
      ))}
    </Stack>
  );
}

function Empty() {
  return (
    <div className={classes['empty']}>
      <IconPhoneCall size={36} stroke={1.25} aria-hidden />
      <Text fw={600} c="var(--mantine-color-text)">
        No calls yet
      </Text>
      <Text size="sm">Call somebody, or send your link: your calls are listed here.</Text>
    </div>
  );
}
