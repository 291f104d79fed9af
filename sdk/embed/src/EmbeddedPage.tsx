import {
  Alert,
  Button,
  CallNotice,
  CallScreen,
  explain,
  Name,
  ParleyProvider,
  ProblemAlert,
  Room,
  SignIn,
  Spinner,
  Stream,
  useCall,
  useRoomContext,
  useSession,
  type Problem,
} from '@parley/react';
import type { AppOptions } from '@parley/sdk';
import { useEffect, useRef, useState } from 'react';
import { onPageMessage, readAttributes, tell, type Frame } from './frame.ts';

interface Props {
  frame: Frame | null;
  /** The network that wallets sign in to; null for a guest with a token. */
  network: NonNullable<AppOptions['network']> | null;
}

/** The page in a frame: a room, a call or a stream. */
export function EmbeddedPage({ frame: loaded, network }: Props) {
  const [frame, setFrame] = useState(loaded);
  const [failure, setFailure] = useState<Problem | null>(null);
  useEffect(
    () =>
      onPageMessage('attributes', (given) => setFrame((now) => now && { ...now, ...readAttributes(given) })),
    [],
  );
  useEffect(() => tell({ parley: 'ready' }), []);
  useTold(failure);
  if (!frame) {
    return (
      <main className="door">
        <Alert title="Nothing to show here">
          The address must be /embed/room/…, /embed/call/… or /embed/stream/…, with an id.
        </Alert>
      </main>
    );
  }
  const options = network ? { network } : { participantToken: frame.token ?? '' };
  const View = { room: RoomView, call: CallView, stream: StreamView }[frame.page];
  return (
    <ParleyProvider {...options} theme={frame.theme} onError={(error) => setFailure(explain(error))}>
      <main data-testid={`embedded-${frame.page}`}>
        <View frame={frame} />
        <SessionMessages />
      </main>
      {failure && (
        <div className="failure">
          <ProblemAlert problem={failure} onClose={() => setFailure(null)} />
        </div>
      )}
    </ParleyProvider>
  );
}

/** Tells the page around the frame about a problem that the frame shows. */
function useTold(problem: Problem | null | undefined): void {
  const message = problem ? `${problem.title}. ${problem.advice}` : null;
  useEffect(() => {
    if (message !== null) tell({ parley: 'error', message });
  }, [message]);
}

/** Why nobody can be signed in, for example because the token has expired. */
function SessionMessages() {
  useTold(useSession().problem);
  return null;
}

/** Tells the page around the frame whether the user is inside, and leaves when that page asks for it. */
function usePage(isInside: boolean, leave: () => unknown): void {
  const latest = useRef(leave);
  const wasInside = useRef(false);
  useEffect(() => {
    latest.current = leave;
  });
  useEffect(() => onPageMessage('leave', () => void latest.current()), []);
  useEffect(() => {
    if (isInside === wasInside.current) return;
    wasInside.current = isInside;
    tell({ parley: isInside ? 'joined' : 'left' });
  }, [isInside]);
}

function RoomView({ frame }: { frame: Frame }) {
  return (
    <Room id={frame.id} {...(frame.name === null ? {} : { name: frame.name })}>
      <RoomMessages />
    </Room>
  );
}

function RoomMessages() {
  const { phase, leave, problem } = useRoomContext();
  usePage(phase === 'in', leave);
  useTold(problem);
  return null;
}

function CallView({ frame }: { frame: Frame }) {
  const { phase } = useSession();
  const { current, start, hangUp, problem, summary } = useCall();
  usePage(current?.status === 'active', hangUp);
  // A call that nobody has answered is over, too.
  const isUnanswered = summary !== null && summary.outcome !== 'ended';
  useEffect(() => {
    if (isUnanswered) tell({ parley: 'left' });
  }, [isUnanswered]);
  useTold(problem?.problem);
  if (phase !== 'signedIn') {
    return (
      <div className="door">
        <h1>
          Call <Name address={frame.id} />
        </h1>
        {phase === 'signingIn' ? <Spinner /> : <SignIn />}
      </div>
    );
  }
  return (
    <>
      <div className="door">
        <CallNotice />
        <Button size="lg" onClick={() => void start(frame.id, frame.type)} data-testid="embedded-start-call">
          Call <Name address={frame.id} />
        </Button>
      </div>
      <CallScreen />
    </>
  );
}

function StreamView({ frame }: { frame: Frame }) {
  const [isOpen, setOpen] = useState(true);
  const [isWatching, setWatching] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isViewerToken = frame.token !== null && !frame.token.startsWith('pt_');
  usePage(isWatching, () => {
    setOpen(false);
    setWatching(false);
  });
  useTold(problem);
  if (!isOpen) {
    return (
      <div className="door">
        <Button size="lg" onClick={() => setOpen(true)}>
          Watch
        </Button>
      </div>
    );
  }
  return (
    <div className="page">
      <Stream
        id={frame.id}
        token={isViewerToken ? frame.token : null}
        displayName={frame.name ?? ''}
        onChange={(state) => {
          setWatching(state.phase === 'open');
          setProblem(state.problem);
        }}
      />
    </div>
  );
}
