import { clock, spokenDuration, useNow } from '@parley/react';
import { Badge } from '@mantine/core';
import type { LiveStream } from '@parley/sdk';
import {
  IconClock,
  IconEye,
  IconLock,
  IconPlayerRecord,
  IconShieldCheck,
  type Icon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { counted } from '../ui/numbers.ts';
import { moodOf, secondsOf, type StreamMood } from './streamState.ts';
import classes from './Streams.module.css';

const moodLabels: Record<StreamMood, string> = {
  idle: 'Not live yet',
  live: 'Live',
  away: 'Reconnecting',
  ended: 'Ended',
};
const colours: Partial<Record<StreamMood, string>> = { away: 'amber', ended: 'gray', idle: 'gray' };

export function StreamBadge({ stream }: { stream: LiveStream }) {
  const mood = moodOf(stream);
  const colour = colours[mood];
  return (
    <Badge
      {...(mood === 'live' ? { className: classes['live'] ?? '' } : { variant: 'light' })}
      {...(colour ? { color: colour } : {})}
      data-testid="stream-state"
      data-state={mood}
    >
      {moodLabels[mood]}
    </Badge>
  );
}

/** The state, duration, viewers and visibility of a stream. */
export function StreamFacts({ stream }: { stream: LiveStream }) {
  const mood = moodOf(stream);
  return (
    <div className={classes['facts']}>
      <StreamBadge stream={stream} />
      {stream.startedAt && <Duration stream={stream} />}
      {(mood === 'live' || mood === 'away') && (
        <Fact icon={IconEye} testId="viewer-count">
          {counted(stream.viewerCount, 'viewer')}
        </Fact>
      )}
      <ForWhom stream={stream} />
      {stream.record && mood !== 'ended' && <Fact icon={IconPlayerRecord}>Recorded</Fact>}
    </div>
  );
}

export function ForWhom({ stream }: { stream: LiveStream }) {
  if (stream.gate) return <Fact icon={IconShieldCheck}>Holders only</Fact>;
  return stream.isPublic ? null : <Fact icon={IconLock}>Private</Fact>;
}

function Duration({ stream }: { stream: LiveStream }) {
  const now = useNow(1_000);
  const seconds = secondsOf(stream, now) ?? 0;
  return (
    <Fact icon={IconClock} testId="stream-time">
      {stream.endedAt ? spokenDuration(seconds) : clock(seconds)}
    </Fact>
  );
}

function Fact({ icon: FactIcon, children, testId }: { icon: Icon; children: ReactNode; testId?: string }) {
  return (
    <span className={classes['fact']} data-testid={testId}>
      <FactIcon size={16} aria-hidden />
      {children}
    </span>
  );
}
