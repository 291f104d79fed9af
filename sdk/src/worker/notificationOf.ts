import { shortAddress } from '../../protocol/address.ts';
import type { PushMessage } from '../../protocol/notifications.ts';

/** The titles of notifications. */
export interface PushTexts {
  call: string;
  videoCall: string;
  message: string;
  voicemail: string;
  conferenceInvite: string;
  /** An invitation to a group. */
  group: string;
  missedCall: string;
  /** The call was answered on another device. */
  answered: string;
  /** The call was declined on another device. */
  declined: string;
  /** The call is over. */
  ended: string;
}

/** The settings of push notifications, which an app's own service worker sets as `self.parleyPush`. */
export interface PushSettings {
  /** @default English titles */
  texts?: Partial<PushTexts>;
  /** Returns the name to show for a wallet; undefined for the default. @default the name by which this wallet knows it, or its shortened address */
  nameOf?: (address: string) => string | undefined;
  /** The URL of the notification's icon. @default none */
  icon?: string;
  /** The URL of the notification's badge. @default none */
  badge?: string;
  /** Returns the URL to open when a notification is clicked and no page of the app is open. @default `/?notification=<kind>&id=<id>` */
  url?: (push: PushMessage) => string;
}

const english: PushTexts = {
  call: 'Incoming call',
  videoCall: 'Incoming video call',
  message: 'New message',
  voicemail: 'New voicemail',
  conferenceInvite: 'Invitation to a conference',
  group: 'Invitation to a group',
  missedCall: 'Missed call',
  answered: 'Answered on another device',
  declined: 'Declined on another device',
  ended: 'The call is over',
};

interface NotificationContent {
  title: string;
  options: NotificationOptions & { renotify?: boolean; timestamp?: number };
}

/** The title and options of the notification for a push. */
export function notificationOf(
  push: PushMessage,
  { texts, nameOf, icon, badge }: PushSettings,
): NotificationContent {
  const rings = push.kind === 'call' && !push.outcome;
  return {
    title: { ...english, ...texts }[textOf(push)],
    options: {
      body: bodyOf(push, nameOf),
      timestamp: Date.parse(push.at),
      // A call stays on the screen until it is over. Its outcome makes no sound.
      requireInteraction: rings,
      renotify: !push.outcome,
      silent: Boolean(push.outcome),
      ...(icon ? { icon } : {}),
      ...(badge ? { badge } : {}),
    },
  };
}

function bodyOf({ from, fromName, group }: PushMessage, nameOf: PushSettings['nameOf']): string {
  const name = nameOf?.(from) ?? fromName ?? shortAddress(from);
  return group ? `${name} · ${group.name}` : name;
}

function textOf({ kind, type, outcome }: PushMessage): keyof PushTexts {
  if (outcome) return outcome === 'missed' ? 'missedCall' : outcome;
  return kind === 'call' && type === 'video' ? 'videoCall' : kind;
}
