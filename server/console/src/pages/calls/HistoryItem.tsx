import { ago, spokenDuration } from '@parley/react';
import { ActionIcon, Box, Tooltip } from '@mantine/core';
import type { CallRecord } from '@parley/sdk';
import { IconArrowDownLeft, IconArrowUpRight, IconPhone, IconVideo } from '@tabler/icons-react';
import { peerOf } from '../../calls/callState.ts';
import { useCalls } from '../../session/ParleyClient.tsx';
import { Avatar } from '../../ui/Avatar.tsx';
import { PersonName } from '../../ui/PersonName.tsx';
import { usePartyName } from '../../ui/usePartyName.ts';
import classes from './CallsPage.module.css';

export function HistoryItem({ record, now }: { record: CallRecord; now: Date }) {
  const { controller } = useCalls();
  const peer = peerOf(record);
  const Direction = record.direction === 'incoming' ? IconArrowDownLeft : IconArrowUpRight;
  const TypeIcon = record.type === 'video' ? IconVideo : IconPhone;
  const again = `${record.type === 'video' ? 'Video' : 'Audio'} call to ${usePartyName(peer)}`;
  return (
    <li
      className={classes['item']}
      data-testid="history-item"
      data-status={record.status}
      data-direction={record.direction}
    >
      <Avatar address={peer} size={38} />
      <Box flex={1} miw={0}>
        <PersonName address={peer} />
        <div className={classes['line']}>
          <span className={classes['line']} data-missed={record.status !== 'completed'}>
            <Direction size={16} aria-hidden />
            <TypeIcon size={16} aria-hidden />
            {describeRecord(record)}
          </span>
          {record.startedAt && (
            <time dateTime={record.startedAt.toISOString()} title={record.startedAt.toLocaleString('en')}>
              · {ago(record.startedAt, now)}
            </time>
          )}
        </div>
      </Box>
      <Tooltip label={again}>
        <ActionIcon
          variant="light"
          size="xl"
          radius="xl"
          aria-label={again}
          onClick={() => void controller.start(peer, record.type)}
          data-testid="call-again"
        >
          <TypeIcon size={20} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}

function describeRecord({ status, direction, duration }: CallRecord): string {
  switch (status) {
    case 'completed':
      return spokenDuration(duration ?? 0);
    case 'missed':
      return direction === 'incoming' ? 'Missed' : 'No answer';
    case 'declined':
      return direction === 'incoming' ? 'You declined' : 'Declined';
  }
}
