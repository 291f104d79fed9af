import {
  IconCoins,
  IconCreditCard,
  IconListDetails,
  IconPhone,
  IconUserCircle,
  type Icon,
} from '@tabler/icons-react';
import { lazy, type ComponentType } from 'react';
import { CallsPage } from '../pages/calls/CallsPage.tsx';

interface Page {
  label: string;
  icon: Icon;
  /** Where the navigation leads. */
  path: string;
  /** Every path that shows this page. */
  routes: string[];
  component: ComponentType;
  /** Shown in the navigation to the server's operator alone. */
  isForOperator?: boolean;
}

// Whoever comes to call loads the page for calls alone.
const BillingPage = lazy(async () => ({
  default: (await import('../pages/billing/BillingPage.tsx')).BillingPage,
}));
const AuditPage = lazy(async () => ({ default: (await import('../pages/audit/AuditPage.tsx')).AuditPage }));
const AccountPage = lazy(async () => ({
  default: (await import('../pages/account/AccountPage.tsx')).AccountPage,
}));

const OperatorPage = lazy(async () => ({
  default: (await import('../pages/operator/OperatorPage.tsx')).OperatorPage,
}));

/** The pages of the console: a folder each in ../pages, a row each here. The first is home. */
export const pages: Page[] = [
  { label: 'Calls', icon: IconPhone, path: '/', routes: ['/', '/call/:callee'], component: CallsPage },
  { label: 'Billing', icon: IconCreditCard, path: '/billing', routes: ['/billing'], component: BillingPage },
  { label: 'Audit log', icon: IconListDetails, path: '/audit', routes: ['/audit'], component: AuditPage },
  {
    label: 'Account',
    icon: IconUserCircle,
    path: '/account',
    routes: ['/account'],
    component: AccountPage,
  },
  {
    label: 'Payers',
    icon: IconCoins,
    path: '/operator',
    routes: ['/operator'],
    component: OperatorPage,
    isForOperator: true,
  },
];
