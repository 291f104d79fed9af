import { Suspense, type ComponentType } from 'react';
import { PageLoading } from './PageLoading.tsx';
import { usePageTitle } from './usePageTitle.ts';

/** A page with its title in the tab, and a placeholder while it loads. */
export function PageFrame({ label, component: Content }: { label: string; component: ComponentType }) {
  usePageTitle(label);
  return (
    <Suspense fallback={<PageLoading />}>
      <Content />
    </Suspense>
  );
}
