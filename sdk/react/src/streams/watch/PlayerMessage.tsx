import type { LiveStream } from '@parley/sdk';
import type { ReactNode } from 'react';
import { spokenDuration } from '../../core/format.ts';
import { GateCheck } from '../../gates/GateCheck.tsx';
import { SignIn } from '../../session/SignIn.tsx';
import { Button } from '../../ui/Button.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { useWords } from '../../words/WordsContext.tsx';
import { moodOf } from '../streamState.ts';
import classes from '../Streams.module.css';
import type { Watch } from './useWatch.ts';
import { nextStep } from './watchState.ts';

interface Props {
  watch: Watch;
  stream: LiveStream;
  signIn?: ReactNode;
  afterEnd?: ReactNode;
  toStudio?: ReactNode;
}

const offs = { video: 'dark', all: 'paused' } as const;

/** A message in place of the video: why there is none, and what the viewer can do. */
export function PlayerMessage(props: Props) {
  const { watch, stream, afterEnd } = props;
  const { state, session } = watch;
  const words = useWords().streams;
  if (state.phase === 'refused') return <Refused {...props} />;
  const is = state.phase === 'ended' ? 'ended' : moodOf(stream);
  const mood = is === 'live' && state.off ? offs[state.off] : is;
  if (mood === 'live') return null;
  const [title, text] = mood === 'ended' ? [words.endedTitle, howLong(stream)] : words.notPlaying[mood];
  return (
    <div className={classes['message']} data-testid="player-message" data-state={mood}>
      {(mood === 'idle' || mood === 'away') && <Spinner />}
      <div role="status">
        <h2>{title}</h2>
      </div>
      <p>{text}</p>
      {mood === 'ended' && !session.guest && afterEnd}
    </div>
  );

  function howLong({ startedAt, endedAt }: LiveStream): string {
    if (!startedAt || !endedAt) return words.neverStarted;
    return words.thanks(spokenDuration((endedAt.getTime() - startedAt.getTime()) / 1_000));
  }
}

function Refused({ watch, stream, signIn = <SignIn />, toStudio }: Props) {
  const { controller, state, session } = watch;
  const words = useWords();
  if (state.reason === null) return null;
  const refusal = words.streams.refusals[state.reason];
  const next = nextStep(state.reason);
  const isSignedIn = session.phase === 'signedIn';
  return (
    <div className={classes['message']} data-testid="refused">
      <div role="status">
        <h2>{refusal?.[0] ?? words.problems['ACCESS_DENIED']?.[0]}</h2>
      </div>
      <p>{refusal?.[1] ?? state.problem?.advice}</p>
      {stream.gate && state.access && isSignedIn && (
        <div className={classes['gate']}>
          <GateCheck what="stream" gate={stream.gate} access={state.access} onCheck={controller.retry} />
        </div>
      )}
      {next === 'wallet' && <div className={classes['ways']}>{signIn}</div>}
      {next === 'again' && (
        <Button onClick={() => void controller.retry()} data-testid="watch-again">
          {words.common.tryAgain}
        </Button>
      )}
      {next === 'studio' && toStudio}
    </div>
  );
}
