import {
  IconBell,
  IconBroadcast,
  IconCoins,
  IconCreditCard,
  IconDeviceSim,
  IconHash,
  IconListDetails,
  IconMessageCircle,
  IconMessages,
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

export interface Page {
  label: string;
  icon: Icon;
  /** Where the navigation leads. */
  path: string;
  /** Every path that shows this page. */
  routes: string[];
  component: ComponentType;
  /** Shown in the navigation to the server's operator alone. */
  isForOperator?: boolean;
  /** Has a place in the bar of a phone, which has five; the others are behind its last. */
  isInBar?: boolean;
  /** What of it is unread, and counted beside its name. */
  unread?: 'chats' | 'voicemails';
}

// Whoever comes to call loads the page for calls alone.
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

/** The pages of the console: a folder each in ../pages, a row each here. The first is home. */
export const pages: Page[] = [
  page('Calls', IconPhone, pagePaths.calls, CallsPage, inBar),
  // Between wallets …
  page('Chats', IconMessageCircle, pagePaths.chats, ChatsPage, { ...inBar, unread: 'chats' }),
  page('Rooms', IconUsersGroup, pagePaths.rooms, RoomsPage, inBar),
  page('Streams', IconBroadcast, pagePaths.streams, StreamsPage),
  page('Recordings', IconPlayerRecord, pagePaths.recordings, RecordingsPage),
  page('Voicemail', IconRecordMail, pagePaths.voicemail, VoicemailPage, { unread: 'voicemails' }),
  // … and by phone numbers.
  page('Texts', IconMessages, pagePaths.texts, TextsPage, inBar),
  page('Numbers', IconHash, pagePaths.numbers, NumbersPage),
  page('Webhooks', IconWebhook, pagePaths.webhooks, WebhooksPage),
  page('eSIMs', IconDeviceSim, pagePaths.esims, EsimsPage),
  page('Look-ups', IconZoomQuestion, pagePaths.lookUps, LookUpsPage),
  page('Billing', IconCreditCard, pagePaths.billing, BillingPage),
  page('Audit log', IconListDetails, pagePaths.audit, AuditPage),
  page('Notifications', IconBell, pagePaths.notifications, NotificationsPage),
  page('Account', IconUserCircle, pagePaths.account, AccountPage),
  page('Payers', IconCoins, pagePaths.operator, OperatorPage, { isForOperator: true }),
];
