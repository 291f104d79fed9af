import { Redirect, Route, Switch } from 'wouter';
import { CallNotice } from '../calls/CallNotice.tsx';
import { useNotificationClicks } from '../notifications/useNotificationClicks.ts';
import { useInvitations } from '../rooms/useInvitations.tsx';
import { LiveNotice } from '../streams/LiveNotice.tsx';
import { LeaveVoicemail } from '../voicemail/LeaveVoicemail.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { PageFrame } from './PageFrame.tsx';
import { pages } from './pages.ts';
import classes from './Shell.module.css';
import { useNewPageAtTop } from './useNewPageAtTop.ts';

/** What surrounds every page: header, navigation, and what concerns the whole console. */
export function Shell() {
  useNotificationClicks();
  useInvitations();
  useNewPageAtTop();
  return (
    <div className={classes['shell']}>
      <Header />
      <ConnectionBanner />
      <div className={classes['columns']}>
        <Navigation />
        <main className={classes['main']} tabIndex={-1}>
          <CallNotice />
          <LiveNotice />
          <Switch>
            {pages.flatMap(({ routes, label, component }) =>
              routes.map((path) => (
                <Route key={path} path={path}>
                  <PageFrame label={label} component={component} />
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
