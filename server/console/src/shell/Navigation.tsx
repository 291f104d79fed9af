import { Menu } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import { Link, matchRoute, useLocation, useRouter } from 'wouter';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { useStore } from '../session/Store.ts';
import { pages, type Page } from './pages.ts';
import classes from './Shell.module.css';
import { UnreadCount } from './UnreadCount.tsx';

/** A column beside the page; on phones a bar at the bottom, where the thumb is, with what has no room in it behind its last button. */
export function Navigation() {
  const isHere = useIsHere();
  const isOperator = useStore(useSignedIn().account.isOperator);
  // Known at the first rendering: nothing jumps.
  const isBar = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const allowed = pages.filter(({ isForOperator = false }) => isOperator || !isForOperator);
  const shown = isBar ? allowed.filter(({ isInBar }) => isInBar) : allowed;
  const rest = allowed.filter((page) => !shown.includes(page));
  return (
    <nav className={classes['navigation']} aria-label="Pages">
      {shown.map((page) => (
        <Link
          key={page.path}
          href={page.path}
          className={classes['link']}
          aria-current={isHere(page) ? 'page' : undefined}
          data-testid={testIdOf(page)}
        >
          <page.icon size={20} aria-hidden />
          {page.label}
          {page.unread && <UnreadCount of={page.unread} />}
        </Link>
      ))}
      {rest.length > 0 && <More pages={rest} isHere={isHere} />}
    </nav>
  );
}

function More({ pages: rest, isHere }: { pages: Page[]; isHere: (page: Page) => boolean }) {
  const here = rest.find(isHere);
  return (
    <Menu position="top-end" width={220} shadow="md" zIndex={150}>
      <Menu.Target>
        <button
          type="button"
          className={`${classes['more']} ${classes['link']}`}
          aria-current={here ? 'page' : undefined}
          data-testid="to-more"
        >
          <IconDots size={20} aria-hidden />
          More
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {rest.map((page) => (
          <Menu.Item
            key={page.path}
            component={Link}
            href={page.path}
            leftSection={<page.icon size={20} aria-hidden />}
            py="sm"
            aria-current={isHere(page) ? 'page' : undefined}
            data-testid={testIdOf(page)}
          >
            {page.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function useIsHere(): (page: Page) => boolean {
  const { parser } = useRouter();
  const [location] = useLocation();
  return ({ routes }) => routes.some((route) => matchRoute(parser, route, location)[0]);
}

const testIdOf = ({ path }: Page) => `to-${path.slice(1) || 'calls'}`;
