import { Alert, ParleyProvider, SignIn, Spinner, useSession } from '@parley/react';
import { useEffect, type ReactNode } from 'react';
import { onPageMessage, tell, type Frame } from './frame.ts';

/** The page in a frame: a room, a call or a stream. */
export function EmbeddedPage({ frame }: { frame: Frame | null }) {
  useEffect(() => tell({ parley: 'ready' }), []);
  if (!frame) {
    return (
      <main className="door">
        <Alert title="Nothing to show here">
          The address must be /embed/room/…, /embed/call/… or /embed/stream/…, with an id.
        </Alert>
      </main>
    );
  }
  const onError = (error: unknown) =>
    tell({ parley: 'error', message: error instanceof Error ? error.message : String(error) });
  const options = frame.token?.startsWith('pt_') ? { participantToken: frame.token } : {};
  return (
    <ParleyProvider {...options} theme={frame.theme} onError={onError}>
      <main>
        <SignedIn title="Sign in">
          <p>{frame.page}</p>
        </SignedIn>
      </main>
    </ParleyProvider>
  );
}

function SignedIn({ title, children }: { title: string; children: ReactNode }) {
  const { phase } = useSession();
  useEffect(() => onPageMessage(() => undefined), []);
  if (phase === 'signedIn') return children;
  return (
    <div className="door">
      <h1>{title}</h1>
      {phase === 'signingIn' ? <Spinner /> : <SignIn />}
    </div>
  );
}
