import { Link, useRoute } from 'wouter';
import { pages } from './pages.ts';
import classes from './Shell.module.css';

/** A column beside the page, a strip above it on phones. One page needs no way to another. */
export function Navigation() {
  if (pages.length < 2) return null;
  return (
    <nav className={classes['navigation']} aria-label="Pages">
      {pages.map((page) => (
        <NavigationLink key={page.path} {...page} />
      ))}
    </nav>
  );
}

function NavigationLink({ path, label, icon: PageIcon }: (typeof pages)[number]) {
  const [isHere] = useRoute(path);
  return (
    <Link href={path} className={classes['link']} aria-current={isHere ? 'page' : undefined}>
      <PageIcon size={20} aria-hidden />
      {label}
    </Link>
  );
}
