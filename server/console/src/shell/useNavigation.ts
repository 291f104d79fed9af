import { matchRoute, useLocation, useRouter } from 'wouter';
import { useLoaded } from '../data/useLoaded.ts';
import { useSignedIn } from '../session/ParleyClient.tsx';
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
  const { queries, kind, address } = useSignedIn();
  // A temporary wallet is never the operator's, so there is no need to ask.
  const isAsked = address !== null && kind !== 'throwaway';
  const isOperator = useLoaded(queries.isOperator, { isRead: isAsked }).value === true;
  const unread = useUnread();
  return {
    groups: pageGroups.filter(({ isForOperator = false }) => isOperator || !isForOperator),
    isCurrent: ({ routes }) => routes.some((route) => matchRoute(parser, route, location)[0]),
    unreadOf: (page) => (page.unread ? unread[page.unread] : 0),
  };
}
