import { ProblemAlert, useStore } from '@parley/react';
import { Alert, Box, Button, Flex } from '@mantine/core';
import { useEffect } from 'react';
import { Link, Redirect } from 'wouter';
import { useWalletData } from '../../session/ParleyClient.tsx';
import { usePageTitle } from '../../shell/usePageTitle.ts';
import classes from '../../streams/Streams.module.css';
import { StreamFacts } from '../../streams/StreamFacts.tsx';
import { StudioContext, useStudio } from '../../streams/useStudio.ts';
import { LoadingRows } from '../../ui/LoadingRows.tsx';
import { useGuardedTab } from '../../ui/useGuardedTab.ts';
import { EndStream } from './EndStream.tsx';
import { SendingSection } from './SendingSection.tsx';
import { ShareSection } from './ShareSection.tsx';
import { Stage } from './Stage.tsx';
import { StudioSide } from './StudioSide.tsx';

/** The studio, which is the host's page of a stream, with video, viewers and chat. */
export function StudioPage({ streamId }: { streamId: string }) {
  const { streams } = useWalletData();
  const controller = useStore(streams.current);
  useEffect(() => streams.open(streamId), [streams, streamId]);
  if (controller?.streamId !== streamId) return null;
  return (
    <StudioContext value={controller}>
      <Studio />
    </StudioContext>
  );
}

function Studio() {
  const { controller, state } = useStudio();
  const { phase, stream, problem } = state;
  usePageTitle(stream?.title ?? 'Stream');
  useGuardedTab(state.sending !== 'no');
  if (phase === 'loading') return <LoadingRows what="the stream" rows={2} height={160} />;
  if (phase === 'foreign') return <Redirect to={`/watch/${controller.streamId}`} replace />;
  if (phase === 'missing' || !stream) {
    return (
      <div className={classes['main']}>
        {problem && <ProblemAlert problem={problem} onRetry={() => void controller.load()} />}
        <div>
          <ToStreams />
        </div>
      </div>
    );
  }
  const isOver = stream.status === 'ended';
  return (
    <div className={classes['main']} data-testid="studio" data-stream={stream.id}>
      <Flex component="header" wrap="wrap" justify="space-between" align="flex-start" gap="0.75rem 1.5rem">
        <Box flex="1 1 14rem" miw={0}>
          <h1 className={classes['title']}>{stream.title}</h1>
          <StreamFacts stream={stream} />
        </Box>
        {isOver ? <ToStreams /> : <EndStream />}
      </Flex>
      {problem && <ProblemAlert problem={problem} onRetry={() => void controller.load()} />}
      {state.wasReplaced && (
        <Alert
          color="amber"
          variant="light"
          title="Another device or program is sending this stream"
          data-testid="replaced"
        >
          The most recent sender takes over. Go live here again to take it back.
        </Alert>
      )}
      <div className={isOver ? classes['single'] : classes['columns']}>
        <div className={classes['main']}>
          <Stage />
          {stream.description && <p className={classes['description']}>{stream.description}</p>}
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

function ToStreams() {
  return (
    <Button component={Link} href="/streams" variant="default" data-testid="to-my-streams">
      Your streams
    </Button>
  );
}
