import { CallNotice, useCall, useMessageSound } from '@parley/react';
import { useEffect, useRef, type RefObject } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { useNotificationClicks } from '../notifications/useNotificationClicks.ts';
import { useInvitations } from '../rooms/useInvitations.tsx';
import { LiveNotice } from '../streams/LiveNotice.tsx';
import { LeaveVoicemail } from '../voicemail/LeaveVoicemail.tsx';
import { useSoundSetting } from '../notifications/useSoundSetting.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { DeletionBanner } from './DeletionBanner.tsx';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { PageFrame } from './PageFrame.tsx';
import { pages } from './pages.ts';
import classes from './Shell.module.css';
import { useArrival } from './useArrival.ts';

/** The frame of every page: header, navigation, and the notices that concern the whole console. */
export function Shell() {
  useNotificationClicks();
  useInvitations();
  useMessageSound(useSoundSetting().isOn);
  const { wallet } = useSignedIn();
  const main = useRef<HTMLElement>(null);
  useArrival(main);
  const { dismiss } = useCall();
  const [path] = useLocation();
  // How the last call ended is shown on the page on which it ended.
  useEffect(() => dismiss, [dismiss, path]);
  return (
    <div className={classes['shell']}>
      <SkipLink to={main} />
      <Header />
      <ConnectionBanner />
      <div className={classes['columns']}>
        <Navigation />
        <main ref={main} id="content" className={classes['main']} tabIndex={-1}>
          <DeletionBanner />
          <CallNotice {...(wallet && { onVoicemail: (to: string) => wallet.leavingVoicemailFor.set(to) })} />
          <LiveNotice />
          <Switch>
            {pages.flatMap((page) =>
              page.routes.map((path) => (
                <Route key={path} path={path}>
                  <PageFrame page={page} />
                </Route>
              )),
            )}
            <Route>
              <Redirect to="/" replace />
            </Route>
          </Switch>
        </main>
      </div>
      <LeaveVoicemail />
    </div>
  );
}

/** Lets keyboard users skip the header and the navigation. */
function SkipLink({ to }: { to: RefObject<HTMLElement | null> }) {
  return (
    <a
      href="#content"
      className={classes['skip']}
      onClick={(event) => {
        // The link must not change the page's URL.
        event.preventDefault();
        to.current?.focus();
      }}
      data-testid="skip-to-content"
    >
      Skip to content
    </a>
  );
}
