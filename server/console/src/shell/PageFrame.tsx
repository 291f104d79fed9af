import { Suspense } from 'react';
import { NoWallet } from '../pages/calls/NoWallet.tsx';
import { useSignedIn } from '../session/ParleyClient.tsx';
import { PageBoundary } from './PageBoundary.tsx';
import { PageLoading } from './PageLoading.tsx';
import type { Page } from './pages.ts';
import { usePageTitle } from './usePageTitle.ts';
import { sumUnread, useUnread } from './useUnread.ts';

/** Shows a page, with its title in the browser's tab and a placeholder while the page loads. */
export function PageFrame({ page: { label, component: Content, noWallet } }: { page: Page }) {
  usePageTitle(label, sumUnread(useUnread()));
  const { wallet } = useSignedIn();
  if (noWallet && !wallet) return <NoWallet {...noWallet} />;
  return (
    <PageBoundary>
      <Suspense fallback={<PageLoading />}>
        <Content />
      </Suspense>
    </PageBoundary>
  );
}
