import { Link, matchRoute, useLocation, useRouter } from 'wouter';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { useStore } from '../session/Store.ts';
import { pages } from './pages.ts';
import classes from './Shell.module.css';

/** A column beside the page; on phones a bar at the bottom, where the thumb is. */
export function Navigation() {
  const { parser } = useRouter();
  const [location] = useLocation();
  const isOperator = useStore(useSignedIn().account.isOperator);
  const shown = pages.filter(({ isForOperator = false }) => isOperator || !isForOperator);
  return (
    <nav className={classes['navigation']} aria-label="Pages">
      {shown.map(({ path, routes, label, icon: PageIcon }) => {
        const isHere = routes.some((route) => matchRoute(parser, route, location)[0]);
        return (
          <Link
            key={path}
            href={path}
            className={classes['link']}
            aria-current={isHere ? 'page' : undefined}
            data-testid={`to-${path.slice(1) || 'calls'}`}
          >
            <PageIcon size={20} aria-hidden />
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
