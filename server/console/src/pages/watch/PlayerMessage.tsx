import { GateCheck, spokenDuration } from '@parley/react';
import { Button, Loader } from '@mantine/core';
import type { LiveStream } from '@parley/sdk';
import { Link } from 'wouter';
import { useSession } from '../../session/ParleyClient.tsx';
import { moodOf } from '../../streams/streamState.ts';
import streams from '../../streams/Streams.module.css';
import type { WatchState } from '../../streams/watch/watchState.ts';
import { ChooseWallet } from './ChooseWallet.tsx';
import classes from './WatchPage.module.css';

interface Props {
  state: WatchState;
  stream: LiveStream;
  /** Whether the viewer has a participant token, with which only this stream can be watched. */
  isGuest: boolean;
  onOpen: () => Promise<void>;
}

const offs = { video: 'dark', all: 'paused' } as const;

/** A message in place of the video: why there is none, and what the viewer can do. */
export function PlayerMessage({ state, stream, isGuest, onOpen }: Props) {
  if (state.phase === 'refused') return <Refused state={state} stream={stream} onOpen={onOpen} />;
  const is = state.phase === 'ended' ? 'ended' : moodOf(stream);
  const mood = is === 'live' && state.off ? offs[state.off] : is;
  const [title, text] = {
    idle: ['The stream has not started yet', 'Stay on this page. The video starts when the host goes live.'],
    live: ['', ''],
    away: ['Waiting for the host', 'The host has lost the connection. The stream continues when it is back.'],
    dark: ['Audio only', 'The host is sending audio without video.'],
    paused: [
      'Camera and microphone are off',
      'Stay on this page. The stream continues when the host turns them on.',
    ],
    ended: ['The stream has ended', howLong(stream)],
  }[mood];
  if (title === '') return null;
  return (
    <div className={streams['message']} data-testid="player-message" data-state={mood}>
      {(mood === 'idle' || mood === 'away') && <Loader type="dots" color="#f3f7f5" />}
      <h2 role="status">{title}</h2>
      <p>{text}</p>
      {mood === 'ended' && !isGuest && (
        <Button component={Link} href="/streams" variant="default" size="compact-md" fz="sm">
          Other live streams
        </Button>
      )}
    </div>
  );
}

function howLong({ startedAt, endedAt }: LiveStream): string {
  if (!startedAt || !endedAt) return 'It never started.';
  return `Thank you for watching. It was live for ${spokenDuration((endedAt.getTime() - startedAt.getTime()) / 1_000)}.`;
}

function Refused({ state, stream, onOpen }: Omit<Props, 'isGuest'>) {
  const { refusal, access } = state;
  const isSignedIn = useSession().phase === 'signedIn';
  if (!refusal) return null;
  const { title, advice, next } = refusal;
  return (
    <div className={streams['message']} data-testid="refused">
      <h2 role="status">{title}</h2>
      <p>{advice}</p>
      {stream.gate && access && isSignedIn && (
        <div className={classes['gate']}>
          <GateCheck what="stream" gate={stream.gate} access={access} onCheck={onOpen} />
        </div>
      )}
      {next === 'wallet' && (
        <div className={classes['ways']}>
          <ChooseWallet isOwnNeeded />
        </div>
      )}
      {next === 'again' && (
        <Button onClick={() => void onOpen()} data-testid="watch-again">
          Try again
        </Button>
      )}
      {next === 'studio' && (
        <Button component={Link} href={`/streams/${stream.id}`}>
          Your stream
        </Button>
      )}
    </div>
  );
}
