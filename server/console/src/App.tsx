import { lazy, Suspense } from 'react';
import { useRoute } from 'wouter';
import { CallLayer } from './calls/CallLayer.tsx';
import { RoomLayer } from './rooms/RoomLayer.tsx';
import { SignInPage } from './pages/signIn/SignInPage.tsx';
import { useSession } from './session/ParleyClient.tsx';
import { SessionProvider } from './session/SessionProvider.tsx';
import { pagePaths } from './shell/paths.ts';
import { RestoringSession } from './shell/RestoringSession.tsx';
import { PageLoading } from './shell/PageLoading.tsx';
import { Shell } from './shell/Shell.tsx';

// The links of streams and of guests open for everyone, signed in or not.
const WatchPage = lazy(async () => ({ default: (await import('./pages/watch/WatchPage.tsx')).WatchPage }));

const JoinPage = lazy(async () => ({ default: (await import('./pages/join/JoinPage.tsx')).JoinPage }));

const CheckPage = lazy(async () => ({ default: (await import('./pages/check/CheckPage.tsx')).CheckPage }));

/** The sign-in page, or the pages of a signed-in user with calls and rooms above them. */
export function App() {
  const session = useSession();
  const [, watched] = useRoute<{ stream: string }>(pagePaths.watch[0]);
  const [isGuest] = useRoute(pagePaths.join[0]);
  const [isCheck] = useRoute(pagePaths.check[0]);
  if (watched) {
    return (
      <Suspense fallback={<PageLoading />}>
        <WatchPage key={watched.stream} streamId={watched.stream} />
      </Suspense>
    );
  }
  if (isGuest) {
    return (
      <Suspense fallback={<PageLoading />}>
        <JoinPage />
      </Suspense>
    );
  }
  if (session.phase === 'signingIn' && session.restoring) return <RestoringSession />;
  const check = isCheck && (
    <Suspense fallback={<PageLoading />}>
      <CheckPage />
    </Suspense>
  );
  if (session.phase !== 'signedIn') return check || <SignInPage session={session} />;
  return (
    // Linking a wallet begins a new session with a new cache, which only new components use.
    <SessionProvider key={session.address} session={session}>
      <CallLayer>
        {check || (
          <RoomLayer>
            <Shell />
          </RoomLayer>
        )}
      </CallLayer>
    </SessionProvider>
  );
}
