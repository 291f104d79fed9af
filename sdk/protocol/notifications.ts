import { z } from 'zod';
import { nothing, plainText, type Address, type IsoDate } from './common.ts';
import type { CallType } from './calls.ts';

/** What a device may be told of while its app is not open. */
const pushKind = z.enum(['call', 'message', 'voicemail', 'conferenceInvite']);
export type PushKind = z.infer<typeof pushKind>;

/** What a wallet wants to be told of. */
const preferences = z.object({
  calls: z.boolean(),
  messages: z.boolean(),
  voicemails: z.boolean(),
  conferenceInvites: z.boolean(),
});
export type WirePreferences = z.infer<typeof preferences>;

/** How a call that was announced went on. */
export type CallOutcome = 'answered' | 'declined' | 'missed' | 'ended';

/** What a push says: never the text of a message. */
export interface PushMessage {
  version: 1;
  kind: PushKind;
  /** The call's, message's, voicemail's or room's id. */
  id: string;
  from: Address;
  /** The wallet it is for: a browser may be signed in with several. */
  to: Address;
  at: IsoDate;
  /** Of a call. */
  type?: CallType;
  /** Of a call that rings no more: this replaces what was shown of it. */
  outcome?: CallOutcome;
}

const base64url = (bytes: number) =>
  z
    .string()
    .regex(/^[\w-]+$/)
    .refine((text) => decodedLength(text) === bytes, { error: `${bytes} bytes in base64url` });
const decodedLength = (text: string) => Math.floor((text.length * 3) / 4);

/** Where a device is reached. */
const pushTarget = z.discriminatedUnion('service', [
  z.strictObject({
    service: z.literal('web'),
    /** The subscription's, at the browser's push service. */
    endpoint: z.url({ protocol: /^https$/ }).max(2_000),
    p256dh: base64url(65),
    auth: base64url(16),
  }),
  z.strictObject({ service: z.literal('fcm'), token: z.string().regex(/^[\w:.-]{16,2000}$/) }),
  z.strictObject({
    service: z.literal('apns'),
    token: z.string().regex(/^([0-9a-f]{2}){8,100}$/i),
    /** `voip` is told of calls alone, by PushKit. */
    mode: z.enum(['voip', 'alert']),
  }),
]);
export type PushTarget = z.infer<typeof pushTarget>;

export const notificationRequests = {
  /** The key browsers subscribe with; null where this server sends no Web Push. */
  'notifications.getServerKey': {
    request: nothing,
    response: z.object({ publicKey: z.string().nullable() }),
  },
  /** This device, until its session ends. Again for one that is known renews it. */
  'notifications.register': { request: pushTarget, response: nothing },
  'notifications.unregister': {
    request: z.strictObject({
      /** The endpoint or the token. */
      address: plainText.min(1).max(2_000),
    }),
    response: nothing,
  },
  /** What is left out stays as it is. */
  'notifications.setPreferences': {
    request: z.strictObject(preferences.partial().shape),
    response: nothing,
  },
  'notifications.getPreferences': { request: nothing, response: preferences },
  /** A device shows it: no push is needed. */
  'notifications.seen': {
    request: z.strictObject({ kind: pushKind, subject: z.string().regex(/^[a-z]{2,4}_\w{1,64}$/) }),
    response: nothing,
  },
} as const;
