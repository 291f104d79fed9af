import { IconPhone, type Icon } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { CallsPage } from '../pages/calls/CallsPage.tsx';

interface Page {
  label: string;
  icon: Icon;
  /** Where the navigation leads. */
  path: string;
  /** Every path that shows this page. */
  routes: string[];
  component: ComponentType;
}

/** The pages of the console: a folder each in ../pages, a row each here. The first is home. */
export const pages: Page[] = [
  { label: 'Calls', icon: IconPhone, path: '/', routes: ['/', '/call/:callee'], component: CallsPage },
];
