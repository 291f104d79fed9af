import { Ago } from '@parley/react';
import { Button, Text } from '@mantine/core';
import type { BackendStream } from '@parley/sdk';
import { IconBroadcast, IconTicket } from '@tabler/icons-react';
import { useState } from 'react';
import { useAction } from '../../data/useAction.ts';
import { useList } from '../../data/useList.ts';
import { useSignedIn } from '../../session/ParleyClient.tsx';
import { CardItem } from '../../ui/CardItem.tsx';
import cards from '../../ui/Cards.module.css';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { LoadedList } from '../../ui/LoadedList.tsx';
import { counted } from '../../ui/numbers.ts';
import { StatusBadge, type Status } from '../../ui/StatusBadge.tsx';
import { StreamToken } from './StreamToken.tsx';

// Polls, because the server sends no events about streams that this device does not watch.
const refreshMs = 8_000;

const statuses: Record<BackendStream['status'], Status> = {
  idle: { color: 'gray', label: 'not live yet' },
  live: { color: 'pine', label: 'live' },
  ended: { color: 'gray', label: 'ended' },
};

type Task = { stream: BackendStream; is: 'link' | 'end' };

/** The streams of the account. */
export function AccountStreams() {
  const { queries } = useSignedIn();
  const list = useList(queries.accountStreams, { everyMs: refreshMs });
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  return (
    <>
      <LoadedList
        list={list}
        what="the streams of your account"
        rowHeight={84}
        empty={
          <Empty icon={IconBroadcast} title="No streams yet" isCard>
            A backend makes a stream with <code>client.streams.create()</code> and gives each viewer a link.
          </Empty>
        }
        className={cards['list']}
      >
        {(stream) => <StreamItem key={stream.id} stream={stream} onTask={(is) => setTask({ stream, is })} />}
      </LoadedList>
      {task?.is === 'link' && <StreamToken stream={task.stream} onClose={close} />}
      {task?.is === 'end' && <EndDialog stream={task.stream} onClose={close} />}
    </>
  );
}

function EndDialog({ stream, onClose }: { stream: BackendStream; onClose: () => void }) {
  const { client } = useSignedIn();
  const end = useAction(() => client.streams.end(stream.id), { refreshes: ['streams'] });
  return (
    <ConfirmDialog
      title={`End “${stream.title}”?`}
      action={end}
      label="End stream"
      onClose={onClose}
      testId="end-account-stream"
    >
      It ends for all viewers, and cannot be started again.
    </ConfirmDialog>
  );
}

function StreamItem({ stream, onTask }: { stream: BackendStream; onTask: (is: Task['is']) => void }) {
  const { id, title, status, viewerCount, createdAt } = stream;
  return (
    <CardItem
      name={title}
      data={{ 'data-testid': 'account-stream', 'data-stream': id, 'data-status': status }}
      tools={
        status !== 'ended' && (
          <>
            <Button
              variant="light"
              leftSection={<IconTicket size={16} />}
              onClick={() => onTask('link')}
              aria-label={`Guest link for ${title}`}
              data-testid="stream-guest-link"
            >
              Guest link
            </Button>
            <Button
              variant="subtle"
              color="brick"
              onClick={() => onTask('end')}
              aria-label={`End ${title}`}
              data-testid="end-account-stream"
            >
              End
            </Button>
          </>
        )
      }
    >
      <Text size="sm" c="dimmed" component="div">
        <StatusBadge {...statuses[status]} /> {counted(viewerCount, 'viewer')} · created{' '}
        <Ago at={createdAt} />
      </Text>
    </CardItem>
  );
}
