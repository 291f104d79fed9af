import { Button, Loader } from '@mantine/core';
import type { LiveStream } from '@parley/sdk';
import { Link } from 'wouter';
import { GateCheck } from '../../gates/GateCheck.tsx';
import { useSession } from '../../session/ParleyClient.tsx';
import { moodOf } from '../../streams/streamState.ts';
import streams from '../../streams/Streams.module.css';
import type { WatchState } from '../../streams/watch/watchState.ts';
import { spokenDuration } from '../../ui/format.ts';
import { ChooseWallet } from './ChooseWallet.tsx';
import classes from './WatchPage.module.css';

interface Props {
  state: WatchState;
  stream: LiveStream;
  onOpen: () => Promise<void>;
}

const offs = { picture: 'dark', all: 'paused' } as const;

/** In the place of a picture: why there is none, and what to do. */
export function PlayerMessage({ state, stream, onOpen }: Props) {
  if (state.phase === 'refused') return <Refused state={state} stream={stream} onOpen={onOpen} />;
  const is = state.phase === 'over' ? 'ended' : moodOf(stream);
  const mood = is === 'live' && state.off ? offs[state.off] : is;
  const [title, text] = {
    idle: ['It has not begun yet', 'Stay here: the picture comes by itself as soon as the host is live.'],
    live: ['', ''],
    away: ['One moment', 'The host’s connection is gone. The stream goes on when it is back.'],
    dark: ['Only to be heard', 'The host sends sound, and no picture.'],
    paused: [
      'Camera and microphone are off',
      'Stay here: the stream goes on as soon as its host switches them on.',
    ],
    ended: ['The stream is over', howLong(stream)],
  }[mood];
  if (title === '') return null;
  return (
    <div className={streams['message']} data-testid="player-message" data-state={mood}>
      {(mood === 'idle' || mood === 'away') && <Loader type="dots" color="#f3f7f5" />}
      <h2 role="status">{title}</h2>
      <p>{text}</p>
      {mood === 'ended' && (
        <Button component={Link} href="/streams" variant="default" size="compact-md" fz="sm">
          What else is live
        </Button>
      )}
    </div>
  );
}

function howLong({ startedAt, endedAt }: LiveStream): string {
  if (!startedAt || !endedAt) return 'It never began.';
  return `Thank you for watching. It was live for ${spokenDuration((endedAt.getTime() - startedAt.getTime()) / 1_000)}.`;
}

function Refused({ state, stream, onOpen }: Props) {
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
          To your stream
        </Button>
      )}
    </div>
  );
}
