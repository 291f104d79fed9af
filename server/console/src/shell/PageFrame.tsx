import { Suspense, type ComponentType } from 'react';
import { PageLoading } from './PageLoading.tsx';
import { usePageTitle } from './usePageTitle.ts';

/** A page with its name in the tab; something to see until it is there. */
export function PageFrame({ label, component: Content }: { label: string; component: ComponentType }) {
  usePageTitle(label);
  return (
    <Suspense fallback={<PageLoading />}>
      <Content />
    </Suspense>
  );
}
