import { CallLayer } from './calls/CallLayer.tsx';
import { RoomLayer } from './rooms/RoomLayer.tsx';
import { SignInPage } from './pages/signIn/SignInPage.tsx';
import { SignedInContext, useSession } from './session/ParleyClient.tsx';
import { Opening } from './shell/Opening.tsx';
import { Shell } from './shell/Shell.tsx';

/** Signed out: the way in. Signed in: the pages, and above them whatever rings or runs. */
export function App() {
  const session = useSession();
  if (session.phase === 'signingIn' && session.restoring) return <Opening />;
  if (session.phase !== 'signedIn') return <SignInPage session={session} />;
  return (
    <SignedInContext value={session}>
      <CallLayer>
        <RoomLayer>
          <Shell />
        </RoomLayer>
      </CallLayer>
    </SignedInContext>
  );
}
