import { z } from 'zod';
import { evmAddress, isoDate, nothing, plainText, walletAddress } from './common.ts';

export const network = z.enum(['mainnet', 'testnet']).describe('Whose chains gates are checked on.');
export type Network = z.infer<typeof network>;

export const session = z.object({
  /** A JWT for one hour: the bearer of HTTP requests and of the realtime handshake. */
  token: z
    .string()
    .describe('A JWT, good for an hour: the bearer of requests and of the realtime handshake.'),
  /** Good for one new session, once. Using it twice ends every session that came from it. */
  refreshToken: z
    .string()
    .describe('Good for one new session, once. Used twice, it ends every session that came from it.'),
  /** The wallet's address on its chain. */
  walletAddress: evmAddress.describe('The wallet’s address on its chain.'),
  /** The wallet's identity, as calls, messages and rooms name it: `walletAddress`, or the CAIP-10 id of a contract wallet. */
  walletId: walletAddress.describe('`walletAddress`, or the CAIP-10 id of a contract wallet.'),
  network,
  chainId: z.int().positive().describe('The chain that was signed in on.'),
  createdAt: isoDate.describe('When it began.'),
  expiresAt: isoDate.describe('When the token expires.'),
});
export type WireSession = z.infer<typeof session>;

/** Also of an account that has no wallet: somebody signed in by an outside identity provider. */
export const anySession = session.extend({
  walletAddress: evmAddress.nullable().describe('The wallet’s address on its chain; null without a wallet.'),
  walletId: walletAddress
    .nullable()
    .describe('`walletAddress`, or the CAIP-10 id of a contract wallet; null without a wallet.'),
});
export type WireAnySession = z.infer<typeof anySession>;

/** What the client sends along when it connects. */
export const handshake = z.object({
  token: plainText.max(4096),
  protocolVersion: z.int(),
  /** The publishable key that names the app, where there is one. */
  appKey: plainText.max(128).optional(),
});
export type Handshake = z.infer<typeof handshake>;

/** What the server says first on every connection. */
const welcome = z.object({
  /** The wallet's identity: the CAIP-10 id of a contract wallet. */
  walletAddress,
  serverTime: isoDate,
  /** mediasoup router capabilities: the same in every room, so a device can prepare before its first call. */
  rtpCapabilities: z.unknown(),
  /** Requests this connection may send within ten seconds. */
  rateLimit: z.int().positive(),
  /** How far the wallet's sequence of events went when this connection was let in: a new device begins there. */
  latestEvent: z.int().nonnegative(),
});

export const sessionRequests = {
  /** Tells nothing and asks nothing: measures the way there and back. */
  'session.ping': { request: nothing, response: nothing },
  /** Gives an open connection the token that follows on the one it was opened with. */
  'session.renew': {
    request: z.strictObject({ token: plainText.max(4096) }),
    response: z.object({ expiresAt: isoDate }),
  },
  /** What happened after the event of this number. */
  'session.catchUp': {
    request: z.strictObject({ after: z.int().nonnegative() }),
    response: z.object({
      /** In order, without gaps; at most a page of them. */
      events: z.array(
        z.object({
          sequence: z.int().positive(),
          event: z.string(),
          /** null: what it told of is gone. */
          payload: z.unknown(),
        }),
      ),
      /** The latest there is: more are to be asked for until it is reached. */
      latest: z.int().nonnegative(),
      /** What came after that number is no longer kept, at least in part: read anew how things stand. */
      isLost: z.boolean(),
    }),
  },
} as const;

export const sessionEvents = {
  'session:welcome': welcome,
  /** The session ended (signed out, revoked, expired); the server closes the connection after saying so. */
  /** Events may have been lost on their way to this connection: ask how things stand. */
  'session:missed': z.object({}),
  /** The wallet's sequence goes as far as this: whoever is behind asks. */
  'session:behind': z.object({ latest: z.int().nonnegative() }),
  'session:ended': z.object({ code: z.literal('AUTHENTICATION_REQUIRED'), message: z.string() }),
} as const;
