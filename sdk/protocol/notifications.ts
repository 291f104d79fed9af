import { z } from 'zod';
import { nothing, plainText, type Address, type IsoDate } from './common.ts';
import type { CallType } from './calls.ts';
import type { GroupId } from './group.ts';

/** The kinds of push notifications. */
const pushKind = z.enum(['call', 'message', 'voicemail', 'conferenceInvite', 'group']);
/** What a push notification is about. */
export type PushKind = z.infer<typeof pushKind>;

/** Which notifications a wallet wants. */
const preferences = z.object({
  calls: z.boolean(),
  messages: z.boolean(),
  voicemails: z.boolean(),
  conferenceInvites: z.boolean(),
});
export type WirePreferences = z.infer<typeof preferences>;

/** The outcome of a call that was announced by push. */
export type CallOutcome = 'answered' | 'declined' | 'missed' | 'ended';

/** The content of a push. It never contains the text of a message. */
export interface PushMessage {
  version: 1;
  kind: PushKind;
  /** The id of the call, message, voicemail or room, or of the group to which the wallet is invited. */
  id: string;
  from: Address;
  /** The name by which the recipient knows the sender: that of its contact, or of the sender's profile. Missing if there is none. */
  fromName?: string;
  /** The recipient. A browser may be signed in with several wallets. */
  to: Address;
  at: IsoDate;
  /** The group of a message or invitation. Missing for a message to this wallet alone. */
  group?: { id: GroupId; name: string };
  /** Only for a call. */
  type?: CallType;
  /** Only for a call that no longer rings. The notification with the outcome replaces the previous one of the call. */
  outcome?: CallOutcome;
}

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .refine((text) => decodedLength(text) === bytes, { error: `must be ${bytes} bytes in base64url` });
const decodedLength = (text: string) => Math.floor((text.length * 3) / 4);

/** The address of a device at its push service. */
const pushTarget = z.discriminatedUnion('service', [
  z.strictObject({
    service: z.literal('web'),
    /** The subscription's endpoint at the browser's push service. */
    endpoint: z.url({ protocol: /^https$/, normalize: true }).max(2_000),
    p256dh: base64url(65),
    auth: base64url(16),
  }),
  z.strictObject({ service: z.literal('fcm'), token: z.string().regex(/^[\w:.-]{16,2000}$/) }),
  z.strictObject({
    service: z.literal('apns'),
    token: z.string().regex(/^([0-9a-f]{2}){8,100}$/i),
    /** A `voip` token receives only calls, through PushKit. */
    mode: z.enum(['voip', 'alert']),
  }),
]);
export type PushTarget = z.infer<typeof pushTarget>;

export const notificationRequests = {
  /** The public key for browser subscriptions; null if this server sends no Web Push. */
  'notifications.getServerKey': {
    request: nothing,
    response: z.object({ publicKey: z.string().nullable() }),
  },
  /** Registers this device until its session ends. A repeated request renews the registration. */
  'notifications.register': { request: pushTarget, response: nothing },
  'notifications.unregister': {
    request: z.strictObject({
      /** The endpoint or token that was registered. */
      address: plainText.min(1).max(2_000),
    }),
    response: nothing,
  },
  /** Fields that are left out keep their values. */
  'notifications.setPreferences': {
    request: z.strictObject(preferences.partial().shape),
    response: nothing,
  },
  'notifications.getPreferences': { request: nothing, response: preferences },
  /** Reports that a device of this wallet displays the event, so no push is needed. */
  'notifications.seen': {
    request: z.strictObject({ kind: pushKind, subject: z.string().regex(/^[a-z]{2,4}_\w{1,64}$/) }),
    response: nothing,
  },
} as const;
