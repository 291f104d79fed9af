import { ago, atMoment, Avatar, Name, peerOf, spokenDuration, useCall, usePartyName } from '@parley/react';
import { ActionIcon, Box, Text, Tooltip } from '@mantine/core';
import type { CallRecord } from '@parley/sdk';
import { IconActivity, IconArrowDownLeft, IconArrowUpRight, IconPhone, IconVideo } from '@tabler/icons-react';
import { Link } from 'wouter';
import classes from './CallsPage.module.css';

export function HistoryItem({ record, now }: { record: CallRecord; now: Date }) {
  const { start } = useCall();
  const peer = peerOf(record);
  const name = usePartyName(peer);
  const Direction = record.direction === 'incoming' ? IconArrowDownLeft : IconArrowUpRight;
  const TypeIcon = record.type === 'video' ? IconVideo : IconPhone;
  const again = `${record.type === 'video' ? 'Video' : 'Audio'} call to ${name}`;
  return (
    <li
      className={classes['item']}
      data-testid="history-item"
      data-status={record.status}
      data-direction={record.direction}
    >
      <Avatar address={peer} size={38} />
      <Box flex={1} miw={0}>
        <Text component="div" truncate dir="auto" ta="match-parent">
          <Name address={peer} />
        </Text>
        <div className={classes['line']}>
          <span
            className={classes['line']}
            data-missed={record.status === 'missed' && record.direction === 'incoming'}
          >
            <Direction size={16} aria-hidden />
            <TypeIcon size={16} aria-hidden />
            {describeRecord(record)}
          </span>
          {record.startedAt && (
            <time dateTime={record.startedAt.toISOString()} title={atMoment(record.startedAt)}>
              · {ago(record.startedAt, now)}
            </time>
          )}
        </div>
      </Box>
      {record.status === 'completed' && (
        <Tooltip label="Quality of this call">
          <ActionIcon
            component={Link}
            href={`/quality/${record.id}`}
            variant="subtle"
            color="gray"
            size="xl"
            radius="xl"
            aria-label={`Quality of the call with ${name}`}
            data-testid="call-quality"
          >
            <IconActivity size={20} />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label={again}>
        <ActionIcon
          variant="light"
          size="xl"
          radius="xl"
          aria-label={again}
          onClick={() => void start(peer, record.type)}
          data-testid="call-again"
        >
          <TypeIcon size={20} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}

/** Why nobody answered, as the caller sees it. */
const unanswered: Record<string, string> = {
  cancelled: 'Cancelled',
  connection_lost: 'Connection lost',
  failed: 'Failed',
};

function describeRecord({ status, direction, duration, endReason }: CallRecord): string {
  switch (status) {
    case 'completed':
      return spokenDuration(duration ?? 0);
    case 'missed':
      return direction === 'incoming' ? 'Missed' : (unanswered[endReason ?? ''] ?? 'No answer');
    case 'declined':
      return direction === 'incoming' ? 'You declined' : 'Declined';
  }
}
