import { shortAddress } from '../../protocol/address.ts';
import type { PushMessage } from '../../protocol/notifications.ts';

/** Titles of notifications. */
export interface PushTexts {
  call: string;
  videoCall: string;
  message: string;
  voicemail: string;
  conferenceInvite: string;
  missedCall: string;
  /** The call was answered on another device. */
  answered: string;
  declined: string;
  ended: string;
}

/** Settings of an app's own service worker, in `self.parleyPush`. */
export interface PushSettings {
  texts?: Partial<PushTexts>;
  /** Returns the name of a wallet. @default its address, shortened */
  nameOf?: (address: string) => string;
  icon?: string;
  badge?: string;
  /** Returns the URL to open if no page of the app is open. @default `/?notification=<kind>&id=<id>` */
  url?: (push: PushMessage) => string;
}

const english: PushTexts = {
  call: 'Incoming call',
  videoCall: 'Incoming video call',
  message: 'New message',
  voicemail: 'New voicemail',
  conferenceInvite: 'Invitation to a conference',
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
  { texts, nameOf = shortAddress, icon, badge }: PushSettings,
): NotificationContent {
  const rings = push.kind === 'call' && !push.outcome;
  return {
    title: { ...english, ...texts }[textOf(push)],
    options: {
      body: nameOf(push.from),
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

function textOf({ kind, type, outcome }: PushMessage): keyof PushTexts {
  if (outcome) return outcome === 'missed' ? 'missedCall' : outcome;
  return kind === 'call' && type === 'video' ? 'videoCall' : kind;
}
