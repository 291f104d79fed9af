import {
  IconActivity,
  IconApi,
  IconBell,
  IconBook,
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
  IconServer2,
  IconUserCircle,
  IconUsers,
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
  /** Shown instead of the page to accounts without a wallet, if the page needs one. */
  noWallet?: { title: string; text: string };
}

export interface ExternalLink {
  label: string;
  icon: Icon;
  href: string;
}

/** The documentation, which this server provides. */
export const sdkReference: ExternalLink = {
  label: 'Docs',
  icon: IconBook,
  href: '/docs/reference/',
};
export const httpApi: ExternalLink = { label: 'HTTP API', icon: IconApi, href: '/docs/' };

export interface PageGroup {
  label: string;
  pages: Page[];
  /** Pages outside the console, below the group's pages. */
  links?: ExternalLink[];
  /** Whether the group is shown only to the server's operator. */
  isForOperator?: boolean;
}

/** Only the code of the first page is in the main bundle. Every other page is loaded when it is opened. */
const onDemand = <Name extends string>(name: Name, load: () => Promise<Record<Name, ComponentType>>) =>
  lazy(async () => ({ default: (await load())[name] }));

const ChatsPage = onDemand('ChatsPage', () => import('../pages/chats/ChatsPage.tsx'));
const RoomsPage = onDemand('RoomsPage', () => import('../pages/rooms/RoomsPage.tsx'));
const StreamsPage = onDemand('StreamsPage', () => import('../pages/streams/StreamsPage.tsx'));
const RecordingsPage = onDemand('RecordingsPage', () => import('../pages/recordings/RecordingsPage.tsx'));
const VoicemailPage = onDemand('VoicemailPage', () => import('../pages/voicemail/VoicemailPage.tsx'));
const NotificationsPage = onDemand(
  'NotificationsPage',
  () => import('../pages/notifications/NotificationsPage.tsx'),
);
const TextsPage = onDemand('TextsPage', () => import('../pages/texts/TextsPage.tsx'));
const NumbersPage = onDemand('NumbersPage', () => import('../pages/numbers/NumbersPage.tsx'));
const WebhooksPage = onDemand('WebhooksPage', () => import('../pages/webhooks/WebhooksPage.tsx'));
const BackendPage = onDemand('BackendPage', () => import('../pages/backend/BackendPage.tsx'));
const EsimsPage = onDemand('EsimsPage', () => import('../pages/esims/EsimsPage.tsx'));
const LookUpsPage = onDemand('LookUpsPage', () => import('../pages/lookUps/LookUpsPage.tsx'));
const ApiKeysPage = onDemand('ApiKeysPage', () => import('../pages/apiKeys/ApiKeysPage.tsx'));
const BillingPage = onDemand('BillingPage', () => import('../pages/billing/BillingPage.tsx'));
const AuditPage = onDemand('AuditPage', () => import('../pages/audit/AuditPage.tsx'));
const AccountPage = onDemand('AccountPage', () => import('../pages/account/AccountPage.tsx'));
const QualityPage = onDemand('QualityPage', () => import('../pages/quality/QualityPage.tsx'));
const ServerPage = onDemand('ServerPage', () => import('../pages/operator/ServerPage.tsx'));
const AccountsPage = onDemand('AccountsPage', () => import('../pages/operator/AccountsPage.tsx'));
const RequestPaymentsPage = onDemand(
  'RequestPaymentsPage',
  () => import('../pages/operator/RequestPaymentsPage.tsx'),
);

const page = (
  label: string,
  icon: Icon,
  routes: [string, ...string[]],
  component: ComponentType,
  more: Partial<Page> = {},
): Page => ({ label, icon, path: routes[0], routes, component, ...more });

const inBar = { isInBar: true };
const linkOne = 'and your account has no wallet yet. Link one on your profile page.';

/** The navigation: all pages of the console, in groups. Each page has a folder in ../pages and a row here. The first page is home. */
export const pageGroups: PageGroup[] = [
  {
    label: 'Talk',
    pages: [
      page('Calls', IconPhone, pagePaths.calls, CallsPage, { ...inBar, unread: 'calls' }),
      page('Chats', IconMessageCircle, pagePaths.chats, ChatsPage, {
        ...inBar,
        unread: 'chats',
        noWallet: {
          title: 'Chats need a wallet',
          text: `Chats are between wallets, ${linkOne} You can send SMS without a wallet.`,
        },
      }),
      page('Rooms', IconUsersGroup, pagePaths.rooms, RoomsPage, {
        ...inBar,
        noWallet: { title: 'Rooms need a wallet', text: `You join rooms with a wallet, ${linkOne}` },
      }),
      page('Streams', IconBroadcast, pagePaths.streams, StreamsPage, {
        noWallet: { title: 'Streams need a wallet', text: `A stream belongs to a wallet, ${linkOne}` },
      }),
      page('Voicemail', IconRecordMail, pagePaths.voicemail, VoicemailPage, {
        unread: 'voicemails',
        noWallet: { title: 'Voicemail needs a wallet', text: `Voicemails are for wallets, ${linkOne}` },
      }),
      page('Recordings', IconPlayerRecord, pagePaths.recordings, RecordingsPage, {
        noWallet: {
          title: 'Recordings need a wallet',
          text: `Recordings of streams, rooms and calls belong to a wallet, ${linkOne}`,
        },
      }),
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
      page('Backend rooms', IconServer2, pagePaths.backend, BackendPage),
      page('Webhooks', IconWebhook, pagePaths.webhooks, WebhooksPage),
      page('Audit log', IconListDetails, pagePaths.audit, AuditPage),
    ],
    links: [sdkReference],
  },
  {
    label: 'Account',
    pages: [
      page('Profile', IconUserCircle, pagePaths.account, AccountPage),
      page('Billing', IconCreditCard, pagePaths.billing, BillingPage),
      page('Notifications', IconBell, pagePaths.notifications, NotificationsPage, {
        noWallet: {
          title: 'Notifications need a wallet',
          text: `Notifications are about the calls, messages and voicemails of a wallet, ${linkOne}`,
        },
      }),
    ],
  },
  {
    label: 'Operator',
    pages: [
      page('Server', IconActivity, pagePaths.operator, ServerPage),
      page('Accounts', IconUsers, pagePaths.operatorAccounts, AccountsPage),
      page('x402 payments', IconCoins, pagePaths.operatorPayments, RequestPaymentsPage),
    ],
    isForOperator: true,
  },
];

/** Pages that are opened by links of other pages. The navigation does not list them. */
const linkedPages: Page[] = [page('Quality', IconActivity, pagePaths.quality, QualityPage)];

export const pages: Page[] = [...pageGroups.flatMap((group) => group.pages), ...linkedPages];
