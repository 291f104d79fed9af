import { Drawer } from '@mantine/core';
import { IconMenu2 } from '@tabler/icons-react';
import { useState } from 'react';
import classes from './Navigation.module.css';
import { PageGroups } from './PageGroups.tsx';
import { PageLink } from './PageLink.tsx';
import { UnreadBadge } from './UnreadBadge.tsx';
import type { NavigationState } from './useNavigation.ts';

/** A bar with the four most used pages and "More", which opens a sheet with all pages. */
export function BottomBar(navigation: NavigationState) {
  const { groups, isCurrent, unreadOf } = navigation;
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  const pages = groups.flatMap((group) => group.pages);
  const others = pages.filter(({ isInBar }) => !isInBar);
  const unreadInOthers = others.reduce((sum, page) => sum + unreadOf(page), 0);
  return (
    <>
      <nav className={classes['bar']} aria-label="Main">
        <ul className={classes['list']}>
          {pages
            .filter(({ isInBar }) => isInBar)
            .map((page) => (
              <li key={page.path}>
                <PageLink page={page} isCurrent={isCurrent(page)} unread={unreadOf(page)} />
              </li>
            ))}
          <li>
            <button
              type="button"
              className={classes['link']}
              aria-haspopup="dialog"
              aria-expanded={isOpen}
              aria-current={others.some(isCurrent) || undefined}
              onClick={() => setIsOpen(true)}
              data-testid="to-more"
            >
              <IconMenu2 size={20} stroke={1.75} aria-hidden />
              <span className={classes['label']}>More</span>
              <UnreadBadge count={unreadInOthers} testId="unread-more" />
            </button>
          </li>
        </ul>
      </nav>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="bottom"
        size="auto"
        title="All pages"
        closeButtonProps={{ size: 'xl', 'aria-label': 'Close' }}
        classNames={{
          content: classes['sheet'] ?? '',
          header: classes['sheetHeader'] ?? '',
          title: classes['sheetTitle'] ?? '',
          body: classes['sheetBody'] ?? '',
        }}
      >
        <nav aria-label="All pages" className={classes['groups']}>
          <PageGroups {...navigation} onFollow={close} />
        </nav>
      </Drawer>
    </>
  );
}
