import {
  IconBell,
  IconBroadcast,
  IconCoins,
  IconCreditCard,
  IconDeviceMobileMessage,
  IconDeviceSim,
  IconHash,
  IconKey,
  IconListDetails,
  IconMessageCircle,
  IconPhone,
  IconPlayerRecord,
  IconRecordMail,
  IconUserCircle,
  IconUsersGroup,
  IconWebhook,
  IconZoomQuestion,
  type Icon,
} from '@tabler/icons-react';
import { lazy, type ComponentType } from 'react';
import { CallsPage } from '../pages/calls/CallsPage.tsx';
import { pagePaths } from './paths.ts';
import type { UnreadKind } from './useUnread.ts';

export interface Page {
  label: string;
  icon: Icon;
  /** The path to which the navigation links. */
  path: string;
  /** Every path that shows this page. */
  routes: string[];
  component: ComponentType;
  /** Whether the page is in the bottom bar of a phone, which holds four pages and "More". */
  isInBar?: boolean;
  /** The count of unread items shown next to the label. */
  unread?: UnreadKind;
}

export interface PageGroup {
  label: string;
  pages: Page[];
  /** Whether the group is shown only to the server's operator. */
  isForOperator?: boolean;
}

// Only the code of the first page is in the main bundle. Every other page is loaded when it is opened.
const ChatsPage = lazy(async () => ({ default: (await import('../pages/chats/ChatsPage.tsx')).ChatsPage }));
const RoomsPage = lazy(async () => ({ default: (await import('../pages/rooms/RoomsPage.tsx')).RoomsPage }));
const StreamsPage = lazy(async () => ({
  default: (await import('../pages/streams/StreamsPage.tsx')).StreamsPage,
}));
const RecordingsPage = lazy(async () => ({
  default: (await import('../pages/recordings/RecordingsPage.tsx')).RecordingsPage,
}));
const VoicemailPage = lazy(async () => ({
  default: (await import('../pages/voicemail/VoicemailPage.tsx')).VoicemailPage,
}));
const NotificationsPage = lazy(async () => ({
  default: (await import('../pages/notifications/NotificationsPage.tsx')).NotificationsPage,
}));
const TextsPage = lazy(async () => ({
  default: (await import('../pages/texts/TextsPage.tsx')).TextsPage,
}));
const NumbersPage = lazy(async () => ({
  default: (await import('../pages/numbers/NumbersPage.tsx')).NumbersPage,
}));
const WebhooksPage = lazy(async () => ({
  default: (await import('../pages/webhooks/WebhooksPage.tsx')).WebhooksPage,
}));
const EsimsPage = lazy(async () => ({ default: (await import('../pages/esims/EsimsPage.tsx')).EsimsPage }));
const LookUpsPage = lazy(async () => ({
  default: (await import('../pages/lookUps/LookUpsPage.tsx')).LookUpsPage,
}));
const ApiKeysPage = lazy(async () => ({
  default: (await import('../pages/apiKeys/ApiKeysPage.tsx')).ApiKeysPage,
}));
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

const page = (
  label: string,
  icon: Icon,
  routes: [string, ...string[]],
  component: ComponentType,
  more: Partial<Page> = {},
): Page => ({ label, icon, path: routes[0], routes, component, ...more });

const inBar = { isInBar: true };

/** The navigation: all pages of the console, in groups. Each page has a folder in ../pages and a row here. The first page is home. */
export const pageGroups: PageGroup[] = [
  {
    label: 'Talk',
    pages: [
      page('Calls', IconPhone, pagePaths.calls, CallsPage, inBar),
      page('Chats', IconMessageCircle, pagePaths.chats, ChatsPage, { ...inBar, unread: 'chats' }),
      page('Rooms', IconUsersGroup, pagePaths.rooms, RoomsPage, inBar),
      page('Streams', IconBroadcast, pagePaths.streams, StreamsPage),
      page('Voicemail', IconRecordMail, pagePaths.voicemail, VoicemailPage, { unread: 'voicemails' }),
      page('Recordings', IconPlayerRecord, pagePaths.recordings, RecordingsPage),
    ],
  },
  {
    label: 'Phone',
    pages: [
      page('SMS', IconDeviceMobileMessage, pagePaths.texts, TextsPage, { ...inBar, unread: 'texts' }),
      page('Numbers', IconHash, pagePaths.numbers, NumbersPage),
      page('eSIMs', IconDeviceSim, pagePaths.esims, EsimsPage),
      page('Lookups', IconZoomQuestion, pagePaths.lookUps, LookUpsPage),
    ],
  },
  {
    label: 'Developers',
    pages: [
      page('API keys', IconKey, pagePaths.apiKeys, ApiKeysPage),
      page('Webhooks', IconWebhook, pagePaths.webhooks, WebhooksPage),
      page('Audit log', IconListDetails, pagePaths.audit, AuditPage),
    ],
  },
  {
    label: 'Account',
    pages: [
      page('Profile', IconUserCircle, pagePaths.account, AccountPage),
      page('Billing', IconCreditCard, pagePaths.billing, BillingPage),
      page('Notifications', IconBell, pagePaths.notifications, NotificationsPage),
    ],
  },
  {
    label: 'Operator',
    pages: [page('x402 payments', IconCoins, pagePaths.operator, OperatorPage)],
    isForOperator: true,
  },
];

export const pages: Page[] = pageGroups.flatMap((group) => group.pages);
