import { z } from 'zod';
import { partyId, welcomedGuest } from './guests.ts';
import { evmAddress, isoDate, nothing, plainText, walletAddress } from './common.ts';

export const network = z
  .enum(['mainnet', 'testnet'])
  .describe('The network on whose chains gates are checked.');
/** The network on whose chains gates are checked. */
export type Network = z.infer<typeof network>;

export const session = z.object({
  /** A JWT that expires after an hour: the bearer token of HTTP requests and of the realtime handshake. */
  token: z
    .string()
    .describe(
      'A JWT that expires after an hour: the bearer token of requests and of the realtime handshake.',
    ),
  /**
   * Can be exchanged for a new session, whose refresh token replaces it. It may be sent again for a minute if the answer was lost. Later, or
   * after the new refresh token was used, sending it again ends the session.
   */
  refreshToken: z
    .string()
    .describe(
      'Can be exchanged for a new session, whose refresh token replaces it. It may be sent again for a minute if the answer was lost. Later, or after the new refresh token was used, sending it again ends the session.',
    ),
  /** The wallet's address on its chain. */
  walletAddress: evmAddress.describe('The address of the wallet on its chain.'),
  /** The wallet's identity in calls, messages and rooms: `walletAddress`, or the CAIP-10 id of a contract wallet. */
  walletId: walletAddress.describe('`walletAddress`, or the CAIP-10 id of a contract wallet.'),
  network,
  chainId: z.int().positive().describe('The chain of the sign-in.'),
  createdAt: isoDate.describe('When the session was created.'),
  expiresAt: isoDate.describe('When the token expires.'),
});
export type WireSession = z.infer<typeof session>;

/** A session whose account may have no wallet, because its user signed in through an outside identity provider. */
export const anySession = session.extend({
  walletAddress: evmAddress
    .nullable()
    .describe('The address of the wallet on its chain; null without a wallet.'),
  walletId: walletAddress
    .nullable()
    .describe('`walletAddress`, or the CAIP-10 id of a contract wallet; null without a wallet.'),
});
export type WireAnySession = z.infer<typeof anySession>;

/** The data that a client sends when it connects. */
export const handshake = z.object({
  token: plainText.max(4096),
  protocolVersion: z.int(),
  /** The publishable key that names the app, if the app has one. */
  appKey: plainText.max(128).optional(),
});
export type Handshake = z.infer<typeof handshake>;

/** The server's first event on every connection. */
const welcome = z.object({
  /** The wallet's identity: its address, or the CAIP-10 id of a contract wallet. For a guest: `guest:…`. */
  walletAddress: partyId,
  /** What the participant token of a guest says. Missing for a wallet. */
  guest: welcomedGuest.optional(),
  serverTime: isoDate,
  /** The capabilities of mediasoup routers. They are the same in every room, so a device can prepare before its first call. */
  rtpCapabilities: z.unknown(),
  /** Whether requests that enter a call, room or stream may join its media (`media`). Older servers refuse that member. */
  joinsMedia: z.literal(true).optional(),
  /** Whether the server takes `media.report`. Older servers do not know it. */
  takesReports: z.literal(true).optional(),
  /** Whether chat messages of rooms and streams may have an `id`. Older servers refuse that member. */
  takesChatIds: z.literal(true).optional(),
  /** The number of requests this connection may send in ten seconds. */
  rateLimit: z.int().positive(),
  /** The number of the wallet's latest event when this connection was admitted. A new device requests only events after this one. */
  latestEvent: z.int().nonnegative(),
});

export const sessionRequests = {
  /** Measures the round-trip time. */
  'session.ping': { request: nothing, response: nothing },
  /** Renews the token of an open connection. */
  'session.renew': {
    request: z.strictObject({ token: plainText.max(4096) }),
    response: z.object({ expiresAt: isoDate }),
  },
  /** The events after the one with this number. */
  'session.catchUp': {
    request: z.strictObject({ after: z.int().nonnegative() }),
    response: z.object({
      /** In order and without gaps, at most one page. */
      events: z.array(
        z.object({
          sequence: z.int().positive(),
          event: z.string(),
          /** null: the object of the event no longer exists. */
          payload: z.unknown(),
        }),
      ),
      /** The number of the latest event. Request more pages until it is reached. */
      latest: z.int().nonnegative(),
      /** Whether some of the requested events are no longer stored. If so, load the current state again. */
      isLost: z.boolean(),
    }),
  },
} as const;

export const sessionEvents = {
  'session:welcome': welcome,
  /** Events for this connection may have been lost. Load the current state again. */
  'session:missed': z.object({}),
  /** The number of the wallet's latest event. A device that has not received all events up to it sends `session.catchUp`. */
  'session:behind': z.object({ latest: z.int().nonnegative() }),
  /** The session ended (signed out, revoked or expired). The server closes the connection after this event. */
  'session:ended': z.object({
    code: z.literal('AUTHENTICATION_REQUIRED'),
    message: z.string(),
    /** Why, if it is known: for a guest `token_revoked` or `token_expired`. */
    reason: z.string().optional(),
  }),
} as const;
