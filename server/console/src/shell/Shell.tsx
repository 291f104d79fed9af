import { Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { CallNotice } from '../calls/CallNotice.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { Header } from './Header.tsx';
import { Navigation } from './Navigation.tsx';
import { pages } from './pages.ts';
import classes from './Shell.module.css';

/** What surrounds every page: header, navigation, and what concerns the whole console. */
export function Shell() {
  return (
    <div className={classes['shell']}>
      <Header />
      <ConnectionBanner />
      <div className={classes['columns']}>
        <Navigation />
        <main className={classes['main']}>
          <CallNotice />
          <Suspense>
            <Switch>
              {pages.flatMap(({ routes, component }) =>
                routes.map((path) => <Route key={path} path={path} component={component} />),
              )}
              <Route>
                <Redirect to="/" replace />
              </Route>
            </Switch>
          </Suspense>
        </main>
      </div>
    </div>
  );
}
