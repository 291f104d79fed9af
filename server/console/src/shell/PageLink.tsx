import { Link } from 'wouter';
import classes from './Navigation.module.css';
import type { Page } from './pages.ts';
import { UnreadBadge } from './UnreadBadge.tsx';

interface Props {
  page: Page;
  isCurrent: boolean;
  unread: number;
  onFollow?: () => void;
}

/** A page's entry in the navigation. */
export function PageLink({ page, isCurrent, unread, onFollow }: Props) {
  return (
    <Link
      href={page.path}
      className={classes['link']}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onFollow}
      data-testid={`to-${page.path.slice(1) || 'calls'}`}
    >
      <page.icon size={20} stroke={1.75} aria-hidden />
      <span className={classes['label']}>{page.label}</span>
      <UnreadBadge count={unread} testId={`unread-${page.unread}`} />
    </Link>
  );
}
