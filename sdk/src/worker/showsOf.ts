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
  /** On another device. */
  answered: string;
  declined: string;
  ended: string;
}

/** What an app may change, as `self.parleyPush` in a worker of its own. */
export interface PushSettings {
  texts?: Partial<PushTexts>;
  /** What a wallet is called. @default its address, shortened */
  nameOf?: (address: string) => string;
  icon?: string;
  badge?: string;
  /** The page to open, where none is. @default `/?notification=<kind>&id=<id>` */
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

interface Shown {
  title: string;
  options: NotificationOptions & { renotify?: boolean; timestamp?: number };
}

/** How a push is shown. */
export function showsOf(
  push: PushMessage,
  { texts, nameOf = shortAddress, icon, badge }: PushSettings,
): Shown {
  const rings = push.kind === 'call' && !push.outcome;
  return {
    title: { ...english, ...texts }[textOf(push)],
    options: {
      body: nameOf(push.from),
      timestamp: Date.parse(push.at),
      // A call rings until it is over; how it went on makes no sound.
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
