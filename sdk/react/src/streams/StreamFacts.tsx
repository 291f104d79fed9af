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
import { clock, spokenDuration } from '../core/format.ts';
import { useNow } from '../core/useNow.ts';
import { useIsBrowser } from '../core/useSupport.ts';
import { Badge } from '../ui/Basics.tsx';
import { useWords } from '../words/WordsContext.tsx';
import classes from './Streams.module.css';
import { moodOf, secondsOf, type StreamMood } from './streamState.ts';

const tones: Record<StreamMood, 'primary' | 'neutral' | 'warning'> = {
  idle: 'neutral',
  live: 'primary',
  away: 'warning',
  ended: 'neutral',
};

/** Whether a stream is live. */
export function StreamBadge({ stream }: { stream: LiveStream }) {
  const words = useWords().streams;
  const mood = moodOf(stream);
  return (
    <Badge
      tone={tones[mood]}
      className={mood === 'live' ? (classes['live'] ?? '') : ''}
      data-testid="stream-state"
      data-state={mood}
    >
      {words[mood]}
    </Badge>
  );
}

/** The state, duration, viewers and visibility of a stream. */
export function StreamFacts({ stream }: { stream: LiveStream }) {
  const words = useWords().streams;
  const mood = moodOf(stream);
  return (
    <div className={classes['facts']}>
      <StreamBadge stream={stream} />
      {stream.startedAt && <Duration stream={stream} />}
      {(mood === 'live' || mood === 'away') && (
        <Fact icon={IconEye} testId="viewer-count">
          {words.viewerCount(stream.viewerCount)}
        </Fact>
      )}
      <ForWhom stream={stream} />
      {stream.record && mood !== 'ended' && <Fact icon={IconPlayerRecord}>{words.recorded}</Fact>}
    </div>
  );
}

function ForWhom({ stream }: { stream: LiveStream }) {
  const words = useWords().streams;
  if (stream.gate) return <Fact icon={IconShieldCheck}>{words.holdersOnly}</Fact>;
  return stream.isPublic ? null : <Fact icon={IconLock}>{words.private}</Fact>;
}

function Duration({ stream }: { stream: LiveStream }) {
  const now = useNow(1_000);
  const isBrowser = useIsBrowser();
  const seconds = secondsOf(stream, now) ?? 0;
  return (
    <Fact icon={IconClock} testId="stream-time">
      {stream.endedAt ? spokenDuration(seconds) : isBrowser && clock(seconds)}
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
