import { Suspense, type ComponentType } from 'react';
import { PageLoading } from './PageLoading.tsx';
import { usePageTitle } from './usePageTitle.ts';

/** Shows a page, with its title in the browser's tab and a placeholder while the page loads. */
export function PageFrame({ label, component: Content }: { label: string; component: ComponentType }) {
  usePageTitle(label);
  return (
    <Suspense fallback={<PageLoading />}>
      <Content />
    </Suspense>
  );
}
