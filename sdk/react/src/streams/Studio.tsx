import { useEffect, useRef, type ReactNode } from 'react';
import { useServices } from '../core/ParleyProvider.tsx';
import { useStore } from '../core/Store.ts';
import { useConnection } from '../core/useConnection.ts';
import { ProblemAlert } from '../problems/ProblemAlert.tsx';
import { Alert, Row } from '../ui/Basics.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useWords } from '../words/WordsContext.tsx';
import { EndStream } from './EndStream.tsx';
import { SendingSection } from './SendingSection.tsx';
import { ShareSection } from './ShareSection.tsx';
import { Stage } from './Stage.tsx';
import { StreamFacts } from './StreamFacts.tsx';
import classes from './Streams.module.css';
import { createStreams } from './StreamsController.ts';
import { StudioSide } from './StudioSide.tsx';
import type { StudioState } from './StudioController.ts';
import { StudioContext, useStudio } from './useStudio.ts';

export interface StudioProps {
  /** The stream. Only its host can open the studio. */
  id: string;
  /** Shown beside the title of an ended or unknown stream, for example a link to a list. */
  back?: ReactNode;
  /** The stream belongs to another wallet. */
  onForeign?: () => void;
  /** Called when the stream, or whether this device sends it, has changed. */
  onChange?: (state: Pick<StudioState, 'stream' | 'sending'>) => void;
}

/** The host's view of a stream: video, viewers and chat, the links for viewers, and the settings for OBS. */
export function Studio({ id, ...rest }: StudioProps) {
  const streams = useServices().get(createStreams);
  const controller = useStore(streams.current);
  // It is opened again for the wallet that signs in after the end of a session.
  const isClosed = useConnection() === 'closed';
  useEffect(() => streams.open(id), [streams, id, isClosed]);
  if (controller?.streamId !== id) return null;
  return (
    <StudioContext.Provider value={controller}>
      <OpenStudio {...rest} />
    </StudioContext.Provider>
  );
}

function OpenStudio({ back, onForeign, onChange }: Omit<StudioProps, 'id'>) {
  const { controller, state } = useStudio();
  const { streams: words, common } = useWords();
  const { phase, stream, problem, sending } = state;
  const handlers = useRef({ onForeign, onChange });
  useEffect(() => {
    handlers.current = { onForeign, onChange };
  });
  useEffect(() => handlers.current.onChange?.({ stream, sending }), [stream, sending]);
  useEffect(() => {
    if (phase === 'foreign') handlers.current.onForeign?.();
  }, [phase]);
  if (phase === 'loading') {
    return (
      <Row role="status">
        <Spinner /> {common.loading}
      </Row>
    );
  }
  if (phase === 'foreign') return null;
  if (!stream) {
    return (
      <div className={classes['main']}>
        {problem && <ProblemAlert problem={problem} onRetry={() => void controller.load()} />}
        <div>{back}</div>
      </div>
    );
  }
  const isOver = stream.status === 'ended';
  return (
    <div className={classes['main']} data-testid="studio" data-stream={stream.id}>
      <Row className={classes['top']} gap="0.75rem 1.5rem">
        <div className={classes['heading']}>
          <h1 className={classes['title']} dir="auto">
            {stream.title}
          </h1>
          <StreamFacts stream={stream} />
        </div>
        {isOver ? back : <EndStream />}
      </Row>
      {problem && <ProblemAlert problem={problem} onRetry={() => void controller.load()} />}
      {state.wasReplaced && (
        <Alert tone="warning" title={words.replacedTitle} data-testid="replaced">
          {words.replacedAdvice}
        </Alert>
      )}
      <div className={isOver ? classes['single'] : classes['columns']}>
        <div className={classes['main']}>
          <Stage />
          {stream.description && (
            <p className={classes['description']} dir="auto">
              {stream.description}
            </p>
          )}
          {!isOver && (
            <div className={`${classes['main']} ${classes['later']}`}>
              <ShareSection />
              <SendingSection />
            </div>
          )}
        </div>
        {!isOver && <StudioSide />}
      </div>
    </div>
  );
}
