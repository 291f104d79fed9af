import { lazy, Suspense } from 'react';
import { useRoute } from 'wouter';
import { CallLayer } from './calls/CallLayer.tsx';
import { RoomLayer } from './rooms/RoomLayer.tsx';
import { SignInPage } from './pages/signIn/SignInPage.tsx';
import { SignedInContext, useSession } from './session/ParleyClient.tsx';
import { pagePaths } from './shell/paths.ts';
import { RestoringSession } from './shell/RestoringSession.tsx';
import { PageLoading } from './shell/PageLoading.tsx';
import { Shell } from './shell/Shell.tsx';

// A stream's link opens for everyone, signed in or not.
const WatchPage = lazy(async () => ({ default: (await import('./pages/watch/WatchPage.tsx')).WatchPage }));

/** The sign-in page, or the pages of a signed-in user with calls and rooms above them. */
export function App() {
  const session = useSession();
  const [, watched] = useRoute<{ stream: string }>(pagePaths.watch[0]);
  if (watched) {
    return (
      <Suspense fallback={<PageLoading />}>
        <WatchPage key={watched.stream} streamId={watched.stream} />
      </Suspense>
    );
  }
  if (session.phase === 'signingIn' && session.restoring) return <RestoringSession />;
  if (session.phase !== 'signedIn') return <SignInPage session={session} />;
  return (
    // Linking a wallet begins a new session with a new cache, which only new components use.
    <SignedInContext key={session.address} value={session}>
      <CallLayer>
        <RoomLayer>
          <Shell />
        </RoomLayer>
      </CallLayer>
    </SignedInContext>
  );
}
