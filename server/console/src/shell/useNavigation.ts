import { matchRoute, useLocation, useRouter } from 'wouter';
import { useIsOperator } from '../session/useIsOperator.ts';
import { pageGroups, type Page, type PageGroup } from './pages.ts';
import { useUnread } from './useUnread.ts';

export interface NavigationState {
  /** The groups that this account may see. */
  groups: PageGroup[];
  isCurrent: (page: Page) => boolean;
  unreadOf: (page: Page) => number;
}

export function useNavigation(): NavigationState {
  const { parser } = useRouter();
  const [location] = useLocation();
  const isOperator = useIsOperator();
  const unread = useUnread();
  return {
    groups: pageGroups.filter(({ isForOperator = false }) => isOperator || !isForOperator),
    isCurrent: ({ routes }) => routes.some((route) => matchRoute(parser, route, location)[0]),
    unreadOf: (page) => (page.unread ? unread[page.unread] : 0),
  };
}
