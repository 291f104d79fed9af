/**
 * Every type and function of the SDK. Generated from sdk/src/index.ts by `npm run docs`: do not edit.
 * @document protocol.md
 * @packageDocumentation
 */

import type { HandlerFactory } from 'mediasoup-client/types';

/**
 * A client of one Parley server, for one wallet. The constructor sends no requests: the client connects at its first request.
 *
 * Any method that sends a request can also fail with NETWORK_ERROR (the server did not answer in time), AUTHENTICATION_REQUIRED (there is
 * no session, or it has ended), RATE_LIMIT_EXCEEDED (try again after `retryAfter` seconds), SERVICE_UNAVAILABLE (the server is starting,
 * draining or overloaded), VALIDATION_ERROR (`details` names the wrong arguments) and INTERNAL.
 * @example
 * const client = new Parley({ apiKey: '' });
 * client.on('call:incoming', (call) => client.calls.answer(call.id));
 * client.on('media:track', ({ stream }) => (video.srcObject = stream));
 * await client.signIn(window.ethereum);
 */
export declare class Parley {
  readonly account: Account;
  readonly accountCalls: AccountCalls;
  readonly accountRecordings: AccountRecordings;
  readonly apiKeys: ApiKeys;
  readonly esim: Esim;
  readonly leaksearch: Leaksearch;
  readonly lookup: Lookup;
  readonly messaging: Messaging;
  readonly numbers: Numbers;
  readonly operator: Operator;
  readonly rooms: Rooms;
  readonly sms: Sms;
  readonly streams: Streams;
  readonly verifications: Verifications;
  readonly webhooks: Webhooks;
  readonly xmpp: Xmpp;
  /**
   * Reads the server's version and which services are available. Needs no session.
   * @returns the version, the time and the services
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  serverStatus(): Promise<ServerStatus>;
  readonly breakouts: Breakouts;
  readonly calls: Calls;
  readonly conference: Conference;
  readonly gatedRooms: GatedRooms;
  readonly streaming: Streaming;
  readonly media: Media;
  readonly people: People;
  readonly groups: Groups;
  readonly recordings: Recordings;
  readonly voicemail: Voicemails;
  readonly messages: Messages;
  readonly notifications: Notifications;
  /** The server's URL, without a slash at the end. */
  readonly baseUrl: string;
  /**
   * Creates a client. Sends no requests.
   * @param options the options of an app, with its publishable key; of a backend, with its secret key; or of a guest, with its participant
   * token
   * @throws ParleyError VALIDATION_ERROR: missing or invalid options, or a `sessionToken` of another wallet than `walletAddress`
   * @throws ParleyError INVALID_ADDRESS: `walletAddress` is not an address
   */
  constructor(options: ParleyOptions);
  /** The state of the realtime connection. */
  readonly state: ConnectionState;
  /**
   * The current session, from a sign-in or from `storage`; null before the first sign-in, if the app supplies the tokens itself (see
   * wallet()), and until loadSession() resolves if the storage is asynchronous.
   */
  readonly session: Session | null;
  /**
   * Waits until the session has been read from an asynchronous `storage`. Requests wait for it too. Never rejects.
   * @returns the session, as `session` returns it
   * @example if (!(await client.loadSession())) await client.signIn(account);
   */
  loadSession(): Promise<Session | null>;
  /**
   * Connects now, if this client is signed in: call it when a phone's app returns to the foreground, when the network has changed, and when
   * a push has woken the app. An open connection is checked, and replaced if the server does not answer. Calls, rooms and streams continue,
   * and missed events arrive.
   * @throws ParleyError NETWORK_ERROR: the server did not answer. The client continues to try
   * @throws ParleyError AUTHENTICATION_REQUIRED: the session has ended
   */
  resume(): Promise<void>;
  /**
   * Disconnects without signing out: call it when a phone's app goes to the background, so that calls and messages arrive by push from then
   * on. The next request or resume() connects again. Does nothing while this device has media in a call, room or stream. Never throws.
   */
  suspend(): void;
  /**
   * Connects, and reads what the participant token of this client says: the room or stream, the role and the rights.
   * @returns the guest; null for a client without a participant token
   * @throws ParleyError AUTHENTICATION_REQUIRED: the token is not valid or was revoked (`token_revoked`), or has expired (`token_expired`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example
   * const guest = await client.guest();
   * if (guest) await client.conference.join(guest.subjectId);
   */
  guest(): Promise<Guest | null>;
  /**
   * Reads the wallet of this client: of its session, or, if the app supplies the tokens (`getToken`, `sessionToken`), of the token. For a
   * token it connects.
   * @returns the identity of the wallet, as `session.walletId`; null for a guest, before the first sign-in, and for an account without a wallet
   * @throws ParleyError AUTHENTICATION_REQUIRED: the server does not accept the token, or this client was closed
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const isHost = room.host === (await client.wallet());
   */
  wallet(): Promise<Address | null>;
  /**
   * Signs in with an EIP-4361 message that a wallet has already signed, and connects. Most apps use signIn(), which also fetches the nonce
   * and has the wallet sign.
   * @param walletAddress the address of the wallet that signed the message
   * @param signature the wallet's signature of `message`, in hexadecimal
   * @param message the signed message, with a nonce from GET /auth/nonce
   * @returns the new session
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: this client is for another wallet, or `message` is not an EIP-4361 message
   * @throws ParleyError AUTHENTICATION_REQUIRED: the server does not accept the signature, the nonce or the origin in the message
   * @throws ParleyError ACCESS_DENIED: a `dashboard` session was asked for on a page that is not one of the server's own, the server
   * does not allow pages of this origin (`origin_refused`), or this client has a participant token (`guest`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain of a contract wallet cannot be read
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  authenticate(walletAddress: string, signature: string, message: string): Promise<Session>;
  /**
   * Signs in: fetches a nonce, has the wallet sign a message, authenticates and connects. If another wallet was signed in, its calls, rooms and
   * streams end on this device. Its session stays valid.
   * @param signer a viem WalletClient or LocalAccount, an EIP-1193 provider (window.ethereum), or { address, signMessage }
   * @returns the new session
   * @throws ParleyError VALIDATION_ERROR: no signer, a signer without an account, or this client is for another wallet
   * @throws ParleyError INVALID_ADDRESS: the signer's address is not a wallet address
   * @throws ParleyError AUTHENTICATION_REQUIRED: the wallet did not sign, or the server does not accept the signature or this page's origin
   * @throws ParleyError ACCESS_DENIED: as for authenticate()
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain of a contract wallet cannot be read
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const session = await client.signIn(window.ethereum);
   */
  signIn(signer: Signer): Promise<Session>;
  /**
   * Reads the server's outside identity provider.
   * @returns null if the server has none
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  provider(): Promise<Provider | null>;
  /**
   * Signs in by exchanging a token of the identity provider for a dashboard session. If the account has a wallet, the client also connects.
   * Without a wallet, only the HTTP API works: see linkWallet().
   * @param token an ID token or an access token: the field `token` of provider() says which
   * @returns the new session. Its wallet is null if the account has none
   * @throws ParleyError AUTHENTICATION_REQUIRED: the server does not accept the token
   * @throws ParleyError VALIDATION_ERROR: this client is for another wallet
   * @throws ParleyError ACCESS_DENIED: this client has a participant token (`guest`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no identity provider, or cannot reach it
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  signInWithProvider(token: string): Promise<ProviderSession>;
  /**
   * Links a wallet to the account that is signed in, for example with signInWithProvider(). Needs a dashboard session. The wallet signs an
   * EIP-4361 message, then the session is renewed, so that this client can call and send messages as the wallet. If your backend supplies
   * the tokens (`getToken`), the wallet takes effect with the next token.
   * @param signer the wallet: the same types as for signIn()
   * @returns the linked identity
   * @throws ParleyError VALIDATION_ERROR: no signer, or a signer without an account
   * @throws ParleyError AUTHENTICATION_REQUIRED: not signed in, the wallet did not sign, or the server does not accept the signature
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`), not one of the server's own pages, or this client has
   * a participant token (`guest`)
   * @throws ParleyError CONFLICT: the account already has a wallet, or the wallet belongs to another account that is in use
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain of a contract wallet cannot be read
   */
  linkWallet(signer: Signer): Promise<AccountIdentity>;
  /**
   * Requests the deletion of the account that is signed in, with all its data. Needs a dashboard session. The wallet signs an EIP-4361
   * message for this purpose. Until the returned time, client.account.restore() keeps the account. For an account without a wallet, use
   * client.account.delete().
   * @param signer the wallet of the account: the same types as for signIn()
   * @returns when the account will be deleted
   * @throws ParleyError VALIDATION_ERROR: no signer, or a signer without an account
   * @throws ParleyError AUTHENTICATION_REQUIRED: not signed in, the wallet did not sign, or the server does not accept the signature
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`), not one of the server's own pages, another wallet, or
   * this client has a participant token (`guest`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain of a contract wallet cannot be read
   */
  deleteAccount(signer: Signer): Promise<AccountDeletion>;
  /**
   * Ends the session on the server and on every device that uses it, and closes this client's connection and media. The client is signed
   * out even if the request fails.
   * @throws ParleyError NETWORK_ERROR: the session may still be valid on the server
   */
  signOut(): Promise<void>;
  /**
   * Adds a handler for an event. Never throws.
   * @param event the name of the event
   * @param handler called with the payload of each event
   * @returns a function that removes the handler
   * @example const stop = client.on('message:received', (message) => console.log(message.content));
   */
  on<Name extends keyof ParleyEvents>(
    event: Name,
    handler: (payload: ParleyEvents[Name]) => void,
  ): () => void;
  /**
   * Removes the handlers of an event. Never throws.
   * @param event the name of the event
   * @param handler the handler to remove. Default: all handlers of the event
   */
  off<Name extends keyof ParleyEvents>(event: Name, handler?: (payload: ParleyEvents[Name]) => void): void;
  /**
   * Closes the connection and all media, and removes every handler. The session stays valid. Never throws.
   */
  close(): void;
}

/** Options for an app, which uses the realtime side and the HTTP API. */
export interface AppOptions {
  /** A publishable key (`pk_live_…`) that names the app, or empty. Servers do not check it. */
  apiKey: string;
  /**
   * The only wallet this client may use. A session of any other wallet is refused with VALIDATION_ERROR. A contract wallet is named with
   * its chain: `eip155:<chain id>:<address>`. @default any wallet that signs in
   */
  walletAddress?: string;
  /** The network whose chains gates are checked on. @default 'mainnet' */
  network?: Network;
  /**
   * The chain id that signIn() writes into the message. For a contract wallet, set it to the wallet's own chain, which is part of its
   * identity.
   * @default 1 (Ethereum), or 11155111 (Sepolia) for testnet
   */
  chainId?: number;
  /** The access token of an existing session, for example from your own backend. It is renewed only if there is a `getToken`. */
  sessionToken?: string;
  /**
   * Fetches an access token from your backend: at the first request, and again when a token expires. If it rejects, the SDK calls it again; a
   * token that the server refuses ends the session.
   */
  getToken?: () => Promise<string>;
  /**
   * Where to keep the session across reloads and share it between tabs, for example `localStorage`. Unsent messages and the number of the
   * last event this device received are kept there too. If its methods return promises, the session is there after loadSession().
   * @default none: all of it is lost when the page is closed
   */
  storage?: SessionStorage;
  /** How long to retry sending a message before it fails, in seconds. @default 86_400 (one day) */
  sendLimitSeconds?: number;
  /**
   * The kind of session that signIn() and authenticate() create. A `dashboard` session also manages the account and its API keys, and can
   * only be created on the server's own pages. @default 'app'
   */
  audience?: 'app' | 'dashboard';
  /** The WebRTC handler, and the sources of microphone, camera and screen, for a client that runs outside a browser. */
  media?: MediaOptions;
  /** What this runtime supplies in place of functions that browsers have. @default those of the browser */
  platform?: PlatformOptions;
  /** The server's URL. @default the page's origin. Outside a browser, a client without it fails at its first request */
  baseUrl?: string;
}

/** Options for a backend, which uses the HTTP API with a secret API key. */
export interface BackendOptions {
  /** The server's URL, for example `https://calls.example.org`. */
  baseUrl: string;
  /** A secret API key (`svc_live_…`). Never use it in a browser. */
  auth: { apiKey: string };
}

/** Options for a guest, who joins one room or stream with a participant token, without a wallet and without an account. */
export interface GuestOptions {
  /** The token (`pt_…`) that a backend has created with `rooms.createToken()` or `streams.createToken()`. */
  participantToken: string;
  /** The server's URL. @default the page's origin */
  baseUrl?: string;
  /** The WebRTC handler, and the sources of microphone, camera and screen, for a client that runs outside a browser. */
  media?: MediaOptions;
  /** What this runtime supplies in place of functions that browsers have. @default those of the browser */
  platform?: PlatformOptions;
}

/** The options of a client: of an app, of a backend, or of a guest. */
export type ParleyOptions = BackendOptions | AppOptions | GuestOptions;

/** The error class of Parley: the server throws it and sends it over the wire, and promises of the SDK reject with it. */
export declare class ParleyError extends Error {
  readonly name: 'ParleyError';
  readonly code: ErrorCode;
  readonly requestId: string;
  /** Why the request failed: more specific than the code. */
  readonly reason: AnyReason;
  readonly extra: Record<string, unknown> | undefined;
  readonly details: ErrorDetail[] | undefined;
  readonly retryAfter: number | undefined;
  /**
   * Apps make errors only in tests. Never throws.
   * @param code what programs switch on
   * @param message what people read
   * @param options the reason, and further fields
   */
  constructor(
    code: ErrorCode,
    message: string,
    options?: {
      /** @default the reason of the code */
      reason?: Reason;
      /** Additional fields of the HTTP response (for example `creditsRequired`), or the `extra` of a realtime error. */
      extra?: Record<string, unknown>;
      requestId?: string;
      details?: ErrorDetail[];
      /** Seconds to wait before the next attempt. */
      retryAfter?: number;
      cause?: unknown;
    },
  );
}

/** WebRTC for a client that runs outside a browser (Node, React Native, Electron's main process). In a browser, none of this is needed. */
export interface MediaOptions {
  /**
   * The handler of mediasoup-client for the WebRTC of this runtime, for example `Chrome111` for libwebrtc (`@roamhq/wrtc`). The runtime
   * must have the globals `RTCPeerConnection` and `MediaStream`. @default detected from the browser's user agent
   */
  handlerName?: 'Chrome111' | 'Chrome74' | 'Firefox120' | 'ReactNative106' | 'Safari12';
  /** A mediasoup-client handler of your own, instead of `handlerName`. The runtime must have the global `MediaStream`. */
  handlerFactory?: HandlerFactory;
  /**
   * Opens microphone and camera, or returns tracks of your own. The SDK stops the tracks when it no longer needs them.
   * @default navigator.mediaDevices.getUserMedia
   */
  getUserMedia?: (constraints: MediaStreamConstraints) => Promise<MediaStream>;
  /** Captures a screen, or returns tracks of your own. @default navigator.mediaDevices.getDisplayMedia */
  getDisplayMedia?: (constraints: DisplayMediaStreamOptions) => Promise<MediaStream>;
}

/** The size at which a view shows a video. */
export interface VideoSize {
  /** In device pixels. */
  width: number;
  /** In device pixels. */
  height: number;
  /** Whether a user can see the view. */
  isVisible: boolean;
}

/** A view that shows a video. */
export interface VideoView {
  /**
   * Reports another size or visibility. May be called often: sizes are sent to the server at most five times a second. Never throws.
   * @param size the size in device pixels, and whether the view is visible
   */
  update(size: VideoSize): void;
  /** Ends the view. If no other view shows the video, it is then sent at full size again. Never throws. */
  close(): void;
}

/** The provider of a wallet, such as `window.ethereum`. */
export interface Eip1193Provider {
  /**
   * Sends a request to the wallet (EIP-1193).
   * @param parameters the method, such as `personal_sign`, and its parameters
   * @returns the wallet's answer
   * @throws Error if the user refuses
   */
  request(parameters: { method: string; params?: unknown }): Promise<unknown>;
}

/** A wallet that can sign: a viem LocalAccount or WalletClient, an EIP-1193 provider, or an object with `address` and `signMessage`. */
export type Signer =
  | { address: string; signMessage(parameters: { message: string }): Promise<string> }
  | {
      account?: { address: string } | undefined;
      signMessage(parameters: { account: unknown; message: string }): Promise<string>;
    }
  | Eip1193Provider;

/**
 * Splits a wallet's identity into its address and chain. Never throws.
 * @param wallet the identity: an address, or `eip155:<chain id>:<address>`
 * @returns the address and the chain id. `chainId` is null for an ordinary wallet, which is valid on every chain
 * @example const { address, chainId } = onChain(call.from);
 */
export declare function onChain(wallet: Address): { address: EvmAddress; chainId: number | null };

/**
 * Shortens an address for display: `0x1234…abcd`, or `0x1234…abcd (chain 137)` for a contract wallet, because the same address may
 * belong to a different wallet on another chain. For the wallet of a deleted account: `Deleted account`. Never throws.
 * @param wallet the identity of the wallet
 * @returns the short text
 */
export declare function shortAddress(wallet: string): string;

/** The maximum number of levels to which `multi` conditions may be nested in a gate. */
export declare const maxGateDepth: 3;

/** The maximum number of conditions of a gate, not counting `multi`. */
export declare const maxGateLeaves: 20;

/**
 * Whether messages go to a group. Never throws.
 * @param recipient such as `message.to` or `conversation.with`
 * @returns false for a wallet
 */
export declare function isGroup(recipient: string): recipient is GroupId;

/** The maximum number of members of a group, with those who are invited. */
export declare const maxGroupMembers: 100;

/**
 * Whether a party is a guest, who joined with a participant token. Never throws.
 * @param party the identity of the party, such as `participant.walletAddress`
 * @returns false for a wallet and for an account
 */
export declare function isGuest(party: string): party is GuestId;

/**
 * Reads a wallet's identity that a user has typed or pasted. Never throws.
 * @param text an address in any case, or `eip155:<chain id>:<address>`
 * @returns the identity in its normal form, with the EIP-55 checksum; null if the text is not a wallet address
 */
export declare function normalAddress(text: string): Address | null;

/**
 * Counts the segments of a text, from which its price follows: see client.sms.rate(). Never throws.
 * @param text the text of an SMS
 * @returns the number of segments, and their encoding. One segment has up to 160 characters in GSM-7 or 70 in UCS-2; of several, each has
 * up to 153 or 67
 * @example const { segments } = segmentsOf('Your table is ready.');
 */
export declare function segmentsOf(text: string): Segments;

/** The segments of a text, which its price is counted by, and its encoding. */
export interface Segments {
  segments: number;
  encoding: 'GSM-7' | 'UCS-2';
}

/**
 * Reads the public data of a stream, without signing in. Watching may need more: a viewer token for a private stream, and a wallet that
 * meets the gate for a gated one.
 * @param streamId the stream's id
 * @param options.baseUrl the server's URL. Default: the page's origin; required outside a browser
 * @returns the stream. Its `streamKey` is empty
 * @throws ParleyError NOT_FOUND: there is no such stream
 * @throws ParleyError SERVICE_UNAVAILABLE: the server is starting or overloaded
 * @throws ParleyError NETWORK_ERROR: the server did not answer
 * @example const { title, watchUrl } = await getPublicStream(stream.id, { baseUrl: 'https://calls.example.org' });
 */
export declare function getPublicStream(
  streamId: string,
  options?: { baseUrl?: string },
): Promise<LiveStream>;

/**
 * Reads the latest 100 messages of a stream's chat, without signing in. Only for a public stream without a gate. The server reads its chat at
 * most once per second, so poll no faster. To write, join as a wallet or guest and call client.streaming.sendChat().
 * @param streamId the stream's id
 * @param options.baseUrl the server's URL. Default: the page's origin; required outside a browser
 * @returns the messages, oldest first; none when the stream has ended
 * @throws ParleyError NOT_FOUND: there is no such stream
 * @throws ParleyError ACCESS_DENIED: the stream is private or has a gate
 * @throws ParleyError SERVICE_UNAVAILABLE: the server is starting or overloaded
 * @throws ParleyError NETWORK_ERROR: the server did not answer
 * @example const messages = await getStreamChat(stream.id, { baseUrl: 'https://calls.example.org' });
 */
export declare function getStreamChat(
  streamId: string,
  options?: { baseUrl?: string },
): Promise<StreamChatMessage[]>;

/**
 * Creates a key for a method that takes an `idempotencyKey`. Keep the key until you know the outcome. If you repeat the request with the
 * same key within 24 hours, the server still runs it only once. Never throws.
 * @returns a random key of 24 letters and digits
 * @example
 * const idempotencyKey = newIdempotencyKey();
 * await client.sms.send({ to: '+12025550100', message: 'Your table is ready.' }, { idempotencyKey });
 */
export declare function newIdempotencyKey(): string;

/**
 * Whether a wallet stands for somebody whose account was deleted. Never throws.
 * @param wallet a wallet, as the server names it
 * @returns true if the account was deleted
 */
export declare function isDeletedWallet(wallet: string): boolean;

/**
 * The only statement that can delete this account. A message with it cannot be used to sign in. Never throws.
 * @param accountId the `id` from client.account.get()
 * @returns the statement for an EIP-4361 message
 */
export declare function deleteStatement(accountId: string): string;

/**
 * The only statement that can link a wallet to this account. A message with it cannot be used to sign in. Never throws.
 * @param accountId the `id` from client.account.get()
 * @returns the statement for an EIP-4361 message
 */
export declare function linkStatement(accountId: string): string;

/**
 * Verifies that a webhook request was sent recently, by the server that issued the secret.
 * @param payload the raw body of the request. A body that was parsed and serialised again does not match the signature
 * @param headers the headers of the request, in the form in which Node's http or fetch supplies them
 * @param secret the webhook's secret, `whsec_…`
 * @param options.toleranceSeconds the largest difference between the webhook's timestamp and this clock, in seconds. Default: 300
 * @returns the event
 * @throws ParleyError VALIDATION_ERROR: the request cannot be trusted, so do not process it. `reason` is `missing_signature`,
 * `invalid_signature`, `timestamp_out_of_range` or `invalid_secret`
 * @example
 * app.post('/hook', express.raw({ type: 'application/json' }), async (request, response) => {
 *   const event = await verifyWebhook(request.body, request.headers, process.env.PARLEY_WEBHOOK_SECRET ?? '');
 *   if (event.type === 'message.received') console.log(event.data.message);
 *   response.sendStatus(204);
 * });
 */
export declare function verifyWebhook(
  payload: string | Uint8Array<ArrayBuffer> | ArrayBuffer,
  headers: Record<string, string | string[] | undefined> | Headers,
  secret: string,
  options?: { toleranceSeconds?: number },
): Promise<WebhookEvent>;

/** The account's credits, usage, plan and identities, by HTTP with an API key or a session: `client.account`. */
export interface Account {
  /**
   * Reads the account.
   * @returns the account, and how the request was authenticated
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session or API key
   * @example const { credits, authMethod } = await client.account.get();
   */
  get(): Promise<AccountInfo>;
  /**
   * Reads the balance and the credits that are reserved for purchases in progress.
   * @returns the balance, in whole credits
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session or API key
   */
  credits(): Promise<Credits>;
  /**
   * Reads the credits spent in a period. Needs the scope account:read.
   * @param query.from the beginning of the period. Default: 30 days before its end
   * @param query.to the end of the period, at most 366 days later. Default: now
   * @param query.groupBy `day`, `service` or `key`. Default: 'day'
   * @returns the credits spent, in groups
   * @throws ParleyError VALIDATION_ERROR: the period ends before it begins, or is longer than 366 days
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  usage(query?: UsageQuery): Promise<Usage>;
  /**
   * Lists the movements of credits, latest first. Needs the scope account:read.
   * @param query.type only movements of this type: `debit`, `credit` or `refund`. Default: all
   * @returns one page of movements
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  history(query?: HistoryQuery): Promise<Page<Movement>>;
  /**
   * Reads the account's plan. `status` is `none` if it has none. Needs the scope account:read.
   * @returns the plan
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  subscription(): Promise<Subscription>;
  /**
   * Lists the plans this server offers. Needs the scope account:read.
   * @returns all plans, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  plans(): Promise<Page<Plan>>;
  /**
   * Starts a purchase of credits. Needs a dashboard session.
   * @param credits 100 to 1,000,000. One credit is one US cent
   * @returns the payment page at Stripe. The credits are added once the customer has paid there
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: not a whole number of credits, or out of bounds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server takes no payments, or Stripe is unavailable
   */
  topUp(credits: number): Promise<Checkout>;
  /**
   * Starts a plan. Needs a dashboard session.
   * @param planId the id of a plan from plans()
   * @returns the payment page at Stripe. The plan starts once the customer has paid there
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such plan
   * @throws ParleyError CONFLICT: the account already has a plan
   * @throws ParleyError SERVICE_UNAVAILABLE: the server takes no payments, or Stripe is unavailable
   */
  subscribe(planId: string): Promise<Checkout>;
  /**
   * Cancels the plan. It ends with the paid month. Needs a dashboard session.
   * @returns the plan, with the end of its last month
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError CONFLICT: the account has no plan
   * @throws ParleyError SERVICE_UNAVAILABLE: the server takes no payments, or Stripe is unavailable
   */
  cancelSubscription(): Promise<Subscription>;
  /**
   * Lists payments, latest first. Needs a dashboard session.
   * @param query the page to read. Default: the first 50
   * @returns one page of payments
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  payments(query?: PageQuery): Promise<Page<Payment>>;
  /**
   * Lists the identities that can sign in to the account. Needs a dashboard session.
   * @returns all identities, as one page
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  identities(): Promise<Page<AccountIdentity>>;
  /**
   * Links a wallet or an outside identity to the account, so that it can sign in to the account too. Needs a dashboard session. To link a
   * wallet, client.linkWallet() is easier.
   * @param proof for a wallet, an EIP-4361 message that was signed on one of the server's own pages, with linkStatement(account.id) as its
   * statement; for an outside identity, a new token from the provider
   * @returns the linked identity
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`), or the message was not signed on one of the server's
   * own pages
   * @throws ParleyError VALIDATION_ERROR: not an EIP-4361 message
   * @throws ParleyError AUTHENTICATION_REQUIRED: the proof is not accepted
   * @throws ParleyError CONFLICT: the identity belongs to another account that is in use, or this account already has a wallet or an
   * identity of this provider
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no provider or cannot reach it, or the chain of a contract wallet cannot be
   * read
   */
  linkIdentity(proof: IdentityProof): Promise<AccountIdentity>;
  /**
   * Unlinks an identity from the account, and ends its sessions. Needs a dashboard session.
   * @param id the identity's id; `wallet` for the wallet
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such identity
   * @throws ParleyError CONFLICT: no other identity can sign in to the account, or the identity is its wallet and its deletion was requested
   */
  unlinkIdentity(id: string): Promise<void>;
  /**
   * Starts an archive (ZIP) with all data of the account: lists in JSON, and the media. If one is in progress, that one is returned. Needs a
   * dashboard session.
   * @returns the export. Read it again with latestExport() until its status is `ready`
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: three exports were started in a day
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no file storage
   */
  startExport(): Promise<AccountExport>;
  /**
   * Reads the latest export: its progress, and the address of the archive when it is ready. Needs a dashboard session.
   * @returns the export; null if there was none. Its `url` works for about an hour: read it again for a new one
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no file storage
   */
  latestExport(): Promise<AccountExport | null>;
  /**
   * Requests the deletion of the account with all its data. Needs a dashboard session. With a wallet, client.deleteAccount() is easier.
   * @param proof for a wallet, an EIP-4361 message that was signed on one of the server's own pages, with deleteStatement(account.id) as its
   * statement; for an outside identity, a new token from the provider
   * @returns when the account will be deleted. Until then, restore() keeps it
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`), the message was not signed on one of the server's own
   * pages, or the proof is of a wallet or user that does not sign in to this account
   * @throws ParleyError VALIDATION_ERROR: not an EIP-4361 message
   * @throws ParleyError AUTHENTICATION_REQUIRED: the proof is not accepted, or not fresh
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no provider or cannot reach it, or the chain of a contract wallet cannot be
   * read
   */
  delete(proof: DeletionProof): Promise<AccountDeletion>;
  /**
   * Reads whether the account will be deleted, for example after a sign-in. Needs a session.
   * @returns the requested deletion; null if the account stays
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session
   */
  deletion(): Promise<AccountDeletion | null>;
  /**
   * Withdraws the requested deletion of the account. Needs a session.
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session
   * @throws ParleyError CONFLICT: the deletion was not requested, or has begun
   */
  restore(): Promise<void>;
}

/**
 * The calls of the account's wallet, for backends with an API key: `client.accountCalls`. An account without a wallet has no calls. Apps call
 * with `client.calls`.
 */
export interface AccountCalls {
  /**
   * Lists calls in both directions, those in progress too, latest first. Needs the scope calls:read.
   * @param query.status only calls with this status: `ringing`, `active`, `ended`, `missed` or `declined`. Default: all
   * @param query.limit the number of calls, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of calls
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   */
  list(query?: AccountCallsQuery): Promise<Page<AccountCall>>;
  /**
   * Reads a call. Needs the scope calls:read.
   * @param callId the id of the call
   * @returns the call
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account's wallet has no such call
   */
  get(callId: string): Promise<AccountCall>;
  /**
   * Reads the quality of the media in a call: what the devices measured every ten seconds, what happened, and what was wrong. Needs the scope
   * calls:read.
   * @param callId the id of the call
   * @param query.from leaves out what was before this time, for example the `nextFrom` of an earlier answer. Default: the whole call
   * @returns the quality of the call
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account's wallet has no such call
   * @example const { findings } = await client.accountCalls.quality(call.id);
   */
  quality(callId: string, query?: QualityQuery): Promise<KeptQuality>;
  /**
   * Ends a call, or declines it while it rings for the account's wallet. A call that is over stays as it is. Needs the scope calls:write.
   * @param callId the id of the call
   * @returns the call
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account's wallet has no such call
   */
  end(callId: string): Promise<AccountCall>;
}

/**
 * The recordings of the account, for backends with an API key: `client.accountRecordings`. They are those of its streams and rooms, and of
 * calls that its wallet has recorded. Apps read recordings with `client.recordings`.
 */
export interface AccountRecordings {
  /**
   * Lists recordings, latest first. Needs the scope recordings:read.
   * @param query.kind only recordings of this kind: `stream`, `conference` or `call`. Default: all
   * @param query.roomId only recordings of this stream, room or call. Default: all
   * @param query.status only recordings with this status: `recording`, `processing`, `ready` or `failed`. Default: all
   * @param query.limit the number of recordings, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of recordings, with signed addresses of their files
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   */
  list(query?: AccountRecordingsQuery): Promise<Page<AccountRecording>>;
  /**
   * Reads a recording, with newly signed addresses of its files. Needs the scope recordings:read.
   * @param recordingId the id of the recording
   * @returns the recording
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such recording
   */
  get(recordingId: string): Promise<AccountRecording>;
  /**
   * Deletes a recording and its files, permanently. Needs the scope recordings:write.
   * @param recordingId the id of the recording
   * @returns the deleted recording, without its files
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such recording
   * @throws ParleyError CONFLICT: the recording is in progress or being processed
   */
  delete(recordingId: string): Promise<AccountRecording>;
}

/** The account's API keys: `client.apiKeys`. All methods need a dashboard session and otherwise fail with ACCESS_DENIED. */
export interface ApiKeys {
  /**
   * Lists API keys, latest first, including revoked ones.
   * @param query the page to read. Default: the first 50
   * @returns one page of keys, without their secrets
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  list(query?: PageQuery): Promise<Page<ApiKey>>;
  /**
   * Creates an API key. Store its secret, which is not shown again.
   * @param key.name the name of the key, 1 to 64 characters
   * @param key.scopes the scopes of the key. Default: account:read, sms:send, numbers:read and numbers:buy
   * @param key.expiresInDays days until the key expires, 1 to 3,650. Default: never
   * @returns the key with its secret
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   * @throws ParleyError CONFLICT: the account has too many active keys
   * @example const { secret } = await client.apiKeys.create({ name: 'billing', scopes: ['account:read'] });
   */
  create(key: NewApiKey): Promise<CreatedApiKey>;
  /**
   * Creates a new key with the name, scopes and lifetime of an old one. The old key works until it is revoked.
   * @param id the id of the old key
   * @returns the new key with its secret
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such key
   * @throws ParleyError CONFLICT: the old key is revoked, or the account has too many active keys
   */
  rotate(id: string): Promise<CreatedApiKey>;
  /**
   * Revokes a key, immediately and on every node.
   * @param id the id of the key
   * @param options.removeWebhooks also removes the webhooks and endpoints that were set with this key. The result lists them. Default: false
   * @returns the revoked key, with the webhooks and endpoints that were set with it
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such key
   */
  revoke(id: string, options?: { removeWebhooks?: boolean }): Promise<RevokedApiKey>;
  /**
   * Reads the publishable key, which names the account's app in a browser and grants nothing.
   * @returns the key
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  publishable(): Promise<PublishableKey>;
  /**
   * Lists the audit log, latest first. With `keyPrefix`, only the actions of one key, for example to see whether it is still used.
   * @param query the rows to read. With `keyPrefix`, only the actions of one key. Default: the latest 50
   * @returns one page of rows
   * @throws ParleyError ACCESS_DENIED: not a dashboard session (`session_required`)
   */
  auditLogs(query?: AuditQuery): Promise<Page<AuditRow>>;
}

/**
 * Breakouts of conference rooms: `client.breakouts`. A breakout is a room with a parent. Devices that are moved join the other room by
 * themselves, with the same camera and microphone, and the client emits `conference:moved`. A host in one of these rooms is a host of all.
 */
export interface Breakouts {
  /**
   * Creates breakouts of a room and moves participants into them. Breakouts have the settings of the room, but are locked: only its hosts
   * and participants who were moved there can enter. They end with end(), at their time, or with the room. Hosts only.
   * @param breakouts the room, its 1 to 50 breakouts with their participants, and the time of 1 to 86,400 seconds after which they end
   * @returns the breakouts, with status `waiting`
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds, or a participant is named twice
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), is itself a breakout, or would have more than 50 breakouts; or its
   * creator would have more than 200 rooms that have not ended
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @example
   * const [one, two] = await client.breakouts.create({ roomId, durationSeconds: 600,
   *   rooms: [{ name: 'One', participantIds: [participant.id] }, { name: 'Two' }] });
   */
  create(breakouts: NewBreakouts): Promise<ConferenceRoom[]>;
  /**
   * Lists the running breakouts of a room, oldest first. Hosts see their participants; others see only those of the breakout they are in.
   * @param roomId the id of the room, or of one of its breakouts
   * @returns the breakouts
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is neither in it nor in one of its breakouts
   */
  list(roomId: string): Promise<ConferenceRoom[]>;
  /**
   * Moves participants from a room to one of its breakouts, back, or between its breakouts. Hosts only, but everybody may move themselves
   * from a breakout to its parent.
   * @param move the participants, 1 to 1,000, and the two rooms
   * @throws ParleyError VALIDATION_ERROR: both rooms are the same, or a field is missing or out of bounds
   * @throws ParleyError NOT_FOUND: there is no such room, or none of the participants is in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: one of the rooms has ended (`room_ended`), or they are not a room and its breakout, or two breakouts of one
   * room
   * @throws ParleyError ROOM_FULL: the other room has no place for all of them (`room_full`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  move(move: MoveParticipants): Promise<void>;
  /**
   * Moves everybody in the breakouts of a room back into it, and ends the breakouts. Hosts only.
   * @param roomId the id of the room; or that of a breakout, to end only this one
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   */
  end(roomId: string): Promise<void>;
  /**
   * Writes a message to the chat of a room and of all its breakouts. All get `conference:chat:message`, also this device. Hosts only.
   * @param roomId the id of the room, or of one of its breakouts
   * @param content 1 to 2,000 characters
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  broadcast(roomId: string, content: string): Promise<void>;
  /**
   * Asks the hosts to come to the breakout that this wallet is in. They get `conference:host:called`, in whichever room they are.
   * @param roomId the id of the breakout
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is not in it
   * @throws ParleyError CONFLICT: the room is not a breakout
   * @throws ParleyError RATE_LIMIT_EXCEEDED: more than six calls per minute. Try again after `retryAfter` seconds
   */
  callHost(roomId: string): Promise<void>;
}

/** The participants to move. */
export interface MoveParticipants {
  /** The id of the room that they are in. */
  roomId: string;
  /** The ids of the participants, 1 to 1,000. Those who have left in the meantime are skipped. */
  participantIds: string[];
  /** The id of the room that they are moved to. */
  to: string;
}

/** One of the breakouts to create. */
export interface NewBreakout {
  /** 1 to 100 characters. */
  name: string;
  /** The ids of participants who are moved into the breakout, up to 1,000. @default nobody */
  participantIds?: string[];
}

/** The breakouts to create. */
export interface NewBreakouts {
  /** The id of the room that gets the breakouts. */
  roomId: string;
  /** 1 to 50 breakouts. */
  rooms: NewBreakout[];
  /** After how many seconds all breakouts end, 1 to 86,400. @default no time: a host ends them */
  durationSeconds?: number;
}

/** Audio and video calls between two wallets: `client.calls`. */
export interface Calls {
  /**
   * Calls a wallet. The call rings immediately, and `call:answered`, `call:declined` or `call:missed` follows. If the callee is calling
   * this wallet at the same moment, the callee's call is answered instead.
   * @param options.to the callee's wallet address
   * @param options.type `audio` or `video`. A video call without a camera starts with audio only
   * @param options.video the camera to use. Default: the chosen or default camera
   * @param options.audio the microphone to use; false opens none. Default: the chosen or default microphone
   * @returns the call, once this device's media is ready. If this wallet's call to the callee is already ringing, that call. So is
   * one that the callee has answered, if this device started it, or the device that did has lost its connection
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: a wallet cannot call itself
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @throws ParleyError NOT_FOUND: no microphone
   * @throws ParleyError CONFLICT: microphone or camera in use
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const call = await client.calls.start({ to: '0x…', type: 'video' });
   */
  start(options: StartCall): Promise<Call>;
  /**
   * Answers an incoming call.
   * @param callId the call's id
   * @param options.video the camera to use; false leaves it off. An audio call is answered without video: see enableVideo(). Default: true
   * in a video call, if there is a camera
   * @param options.audio the microphone to use; false opens none. Default: true
   * @throws ParleyError NOT_FOUND: there is no such call, or no microphone
   * @throws ParleyError CONFLICT: another device has answered or the call no longer rings (`call_over`), this wallet is the caller, or the
   * microphone or camera is in use
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @example client.on('call:incoming', (call) => client.calls.answer(call.id));
   */
  answer(callId: string, options?: CameraOptions): Promise<void>;
  /**
   * Declines an incoming call.
   * @param callId the id of the call
   * @param options.reason `busy`, `declined` or another text of 1 to 200 characters. Default: 'declined'
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call no longer rings (`call_over`), or this wallet is the caller
   */
  decline(callId: string, options?: { reason?: 'busy' | 'declined' | (string & {}) }): Promise<void>;
  /**
   * Ends a call. The caller can also end it while it rings; the callee uses decline(). Camera and microphone are switched off immediately,
   * even if the request fails. A request that fails for a transient reason is retried in the background.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over, or still rings at this wallet (both `call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  end(callId: string): Promise<void>;
  /**
   * Mutes the microphone immediately.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over (`call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  mute(callId: string): Promise<void>;
  /**
   * Unmutes the microphone, and opens it if necessary. No effect if it is muted again meanwhile.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call, or no microphone
   * @throws ParleyError PERMISSION_DENIED: microphone refused
   * @throws ParleyError CONFLICT: the call is over (`call_over`), or the microphone is in use
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  unmute(callId: string): Promise<void>;
  /**
   * Mutes the microphone, or unmutes it if it is muted. While it is being unmuted, it is muted again.
   * @param callId the id of the call
   * @returns whether the microphone is now muted
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over (`call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  toggleMute(callId: string): Promise<boolean>;
  /**
   * Switches the camera off. The call continues.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is over (`call_over`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  disableVideo(callId: string): Promise<void>;
  /**
   * Switches the camera on, even in an audio call. No effect if it is switched off again while it opens.
   * @param callId the id of the call
   * @throws ParleyError PERMISSION_DENIED: camera refused
   * @throws ParleyError NOT_FOUND: there is no such call, or no camera
   * @throws ParleyError CONFLICT: the call is over (`call_over`), or the camera is in use
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  enableVideo(callId: string): Promise<void>;
  /**
   * The state of a call, which is kept up to date: the call, the other party, tracks, quality and more. It fits React's
   * useSyncExternalStore. Never throws.
   * @param callId the id of the call
   * @returns the state: get() returns it, subscribe() calls a listener after each change
   * @example
   * const state = client.calls.state(call.id);
   * const stop = state.subscribe(() => console.log(state.get().phase, state.get().trouble));
   */
  state(callId: string): Observable<CallState>;
  /**
   * Shares a screen, window or tab that the user chooses, with the other party. Call it in a click: browsers let the user choose a screen
   * only then. The other party gets `media:track` with the sources `screen` and `screen-audio`, and `call:participant:updated`. A recording
   * of the call contains the screen.
   * @param callId the id of the call
   * @param options.audio false shares the screen without its audio. Default: true, if the browser supports it
   * @throws ParleyError PERMISSION_DENIED: refused or not supported
   * @throws ParleyError CONFLICT: this device is not in the call, or left it while the user was choosing
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  startScreenShare(callId: string, options?: { audio?: boolean }): Promise<void>;
  /**
   * Stops sharing the screen. The call continues.
   * @param callId the id of the call
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  stopScreenShare(callId: string): Promise<void>;
  /**
   * Adds people to an active call: it becomes a conference room of this wallet. The devices of both parties move there by themselves, with
   * the same camera and microphone, and their clients emit `call:moved`; a shared screen ends. The wallets are invited, and get
   * `conference:invited`. The call is over, with the reason `moved`, and so is a recording of it. The room has space for 100 people, and
   * video, audio, screens and chat are allowed; its host can change it. The other party's app moves only if it listens to `call:moved`.
   * Otherwise it gets `call:ended` and `conference:invited`.
   * @param callId the id of the call
   * @param addresses 1 to 50 wallet addresses. Those of the parties are passed over
   * @returns the room that the call has become
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError VALIDATION_ERROR: there are no or too many addresses, or all of them are in the call
   * @throws ParleyError INVALID_ADDRESS: one of the addresses is not a wallet address
   * @throws ParleyError CONFLICT: the call still rings or is over (`call_over`), has already become the room `extra.movedTo` (`moved`), or
   * this wallet has 200 rooms that have not ended
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many rooms or invitations; each address counts. Try again after `retryAfter` seconds
   * @example const room = await client.calls.addPeople(call.id, ['0x…']);
   */
  addPeople(callId: string, addresses: (Address | (string & {}))[]): Promise<ConferenceRoom>;
  /**
   * Starts recording both parties. The recording belongs to this wallet. Both parties get `call:recording`, and the call's `isRecording`
   * becomes true. The recording stops when the call ends, becomes a room (`call:moved`), or with stopRecording(). The room is not recorded
   * until one of its hosts starts that.
   * @param callId the id of the call
   * @returns the recording, with status `recording`
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: the call is not active or is already being recorded, or this wallet's recordings use all the storage it
   * may have
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or has no space
   */
  startRecording(callId: string): Promise<Recording>;
  /**
   * Stops a recording that this wallet started. The call continues. The files appear in `client.recordings` soon after.
   * @param callId the id of the call
   * @throws ParleyError NOT_FOUND: there is no such call
   * @throws ParleyError CONFLICT: this wallet is not recording the call
   */
  stopRecording(callId: string): Promise<void>;
  /**
   * Lists calls that are over, newest first.
   * @param query the calls to list. Default: the latest 50
   * @returns the calls
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @example const missed = await client.calls.getHistory({ status: 'missed', limit: 10 });
   */
  getHistory(query?: CallHistoryQuery): Promise<CallRecord[]>;
  /**
   * Lists the calls of this wallet, on any of its devices, that ring or are active.
   * @returns the calls
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  getActive(): Promise<Call[]>;
  /**
   * Continues a call on this device: after a reload, or in place of another device of the same wallet.
   * @param callId the id of the call
   * @param options.video the camera to use; false leaves it off. An audio call continues without video: see enableVideo(). Default: true in
   * a video call, if there is a camera
   * @param options.audio the microphone to use; false opens none. Default: true
   * @throws ParleyError NOT_FOUND: there is no such call, or no microphone
   * @throws ParleyError CONFLICT: the call is over (`call_over`), still rings at this wallet (answer() it), or the microphone or camera is
   * in use
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @example for (const call of await client.calls.getActive()) await client.calls.rejoin(call.id);
   */
  rejoin(callId: string, options?: CameraOptions): Promise<void>;
  /**
   * Blocks a wallet. Its calls no longer ring here, and its messages and voicemails are not delivered. The blocked wallet cannot tell: its
   * calls seem to ring without an answer.
   * @param address the address of the wallet
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: a wallet cannot block itself
   * @throws ParleyError CONFLICT: this wallet has already blocked 10,000
   */
  block(address: Address | (string & {})): Promise<void>;
  /**
   * Unblocks a wallet.
   * @param address the address of the wallet
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  unblock(address: Address | (string & {})): Promise<void>;
  /**
   * Lists the wallets this wallet has blocked, most recently blocked first.
   * @returns the addresses of the wallets
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  getBlocked(): Promise<Address[]>;
}

/** Selects calls that are over. */
export interface CallHistoryQuery {
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Calls to skip, 0 to 100,000. @default 0 */
  offset?: number;
  /** Only calls that were completed, missed or declined. @default all */
  status?: 'completed' | 'declined' | 'missed';
  /** Only incoming or only outgoing calls. @default both */
  direction?: 'incoming' | 'outgoing';
  /** Only calls with this wallet. */
  with?: Address | (string & {});
  /** Only calls that started at or after this time. */
  from?: Date;
  /** Only calls that started at or before this time. */
  to?: Date;
}

/** Conference rooms: `client.conference`. */
export interface Conference {
  /**
   * Creates a room with this wallet as its host. The host joins it with join(), like everyone else.
   * @param room the room: its name, its size of 2 to 1,000 participants, its settings, and when it is to start
   * @returns the room, with status `waiting`
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError CONFLICT: this wallet has 200 rooms that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: `settings.record` is true, but the server cannot record
   * @example const room = await client.conference.create({ name: 'Stand-up', maxParticipants: 12 });
   */
  create(room: NewRoom): Promise<ConferenceRoom>;
  /**
   * Joins a room from this device. Resolves once the device is admitted and its media is running. If the room has a waiting room, the
   * client may emit `conference:waiting`: join() then waits until a host admits or denies this wallet, or leave() is called.
   * @param room the room's id, or an object with `roomId` and the options
   * @param more the options, if `room` is an id
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ROOM_FULL: the room or its waiting room is full (`room_full`)
   * @throws ParleyError ACCESS_DENIED: the room is locked (`room_locked`), a host has removed this wallet (`removed`) or not let it in
   * (`denied`), the room's gate is on another network than the session (`other_network`), the wallet does not pass the gate
   * (`requirement_missing`: then `extra` is the AccessResult), or for a guest: the participant token is for another room (`other_room`),
   * or the room has a gate (`guest`)
   * @throws ParleyError AUTHENTICATION_REQUIRED: the participant token was revoked (`token_revoked`) or has expired (`token_expired`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), leave() was called in the waiting room (`left`), another join() of the
   * room was called, or the camera or microphone is in use
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or a browser without WebRTC (`no_webrtc`)
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read, or too many wallets are joining at once
   * @example await client.conference.join({ roomId, displayName: 'Ada' });
   */
  join(room: string | JoinRoom, more?: JoinOptions): Promise<void>;
  /**
   * Leaves a room or its waiting room. Camera and microphone are switched off immediately.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  leave(roomId: string): Promise<void>;
  /**
   * The state of a room, which is kept up to date: its participants, tracks, speakers, quality and more. It fits React's
   * useSyncExternalStore. It exists before the first join(), and stays valid when the room is left and joined again. Never throws.
   * @param roomId the id of the room
   * @returns the state: get() returns it, subscribe() calls a listener after each change
   * @example
   * const state = client.conference.state(roomId);
   * const stop = state.subscribe(() => console.log(state.get().phase, state.get().participants.length));
   */
  state(roomId: string): Observable<RoomState>;
  /**
   * The participants of a joined room, including this wallet. Empty for a room that this device has not joined. Never throws.
   * @param roomId the id of the room
   * @returns the participants
   */
  participants(roomId: string): Participant[];
  /**
   * Mutes the microphone immediately.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: this device is not in the room
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  muteAudio(roomId: string): Promise<void>;
  /**
   * Unmutes the microphone, and opens it if necessary. No effect if it is muted again meanwhile.
   * @param roomId the id of the room
   * @throws ParleyError ACCESS_DENIED: viewers cannot publish (`viewer`), the room has no audio (`audio_off`), or the participant token
   * does not allow it (`not_granted`)
   * @throws ParleyError NOT_FOUND: this device is not in the room, or has no microphone
   * @throws ParleyError PERMISSION_DENIED: microphone refused
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), another device of this wallet has taken over (`replaced`), or the
   * microphone is in use
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  unmuteAudio(roomId: string): Promise<void>;
  /**
   * Switches the camera off.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: this device is not in the room
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  muteVideo(roomId: string): Promise<void>;
  /**
   * Switches the camera on. No effect if it is switched off again while it opens.
   * @param roomId the id of the room
   * @throws ParleyError ACCESS_DENIED: viewers cannot publish (`viewer`), the room has no video (`video_off`), or the participant token
   * does not allow it (`not_granted`)
   * @throws ParleyError NOT_FOUND: this device is not in the room, or has no camera
   * @throws ParleyError PERMISSION_DENIED: camera refused
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), another device of this wallet has taken over (`replaced`), or the
   * camera is in use
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  unmuteVideo(roomId: string): Promise<void>;
  /**
   * Shares a screen, window or tab that the user chooses.
   * @param roomId the id of the room
   * @param options.audio false shares the screen without its audio. Default: true, if the browser and the room support it
   * @throws ParleyError ACCESS_DENIED: viewers cannot publish (`viewer`), only hosts may share a screen in this room
   * (`screen_share_off`), or the participant token does not allow it (`not_granted`)
   * @throws ParleyError PERMISSION_DENIED: refused or not supported
   * @throws ParleyError CONFLICT: this device is not in the room, or left it while the user was choosing
   */
  startScreenShare(roomId: string, options?: { audio?: boolean }): Promise<void>;
  /**
   * Stops sharing the screen.
   * @param roomId the id of the room
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  stopScreenShare(roomId: string): Promise<void>;
  /**
   * Ends the room and its breakouts for all participants. Those in a breakout that is ended come back to its parent, which goes on, as with
   * `breakouts.end()`. Hosts only.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   */
  end(roomId: string): Promise<void>;
  /**
   * Removes a participant, who can join again only after a new invitation. Hosts only.
   * @param roomId the id of the room
   * @param participantId the `id` of the participant
   * @throws ParleyError NOT_FOUND: there is no such room, or no such participant in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the creator of the room cannot be removed
   */
  kick(roomId: string, participantId: string): Promise<void>;
  /**
   * Mutes a participant's microphone and the audio of their shared screen. They can unmute themselves. Hosts only.
   * @param roomId the id of the room
   * @param participantId the `id` of the participant
   * @throws ParleyError NOT_FOUND: there is no such room, or no such participant in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   */
  muteParticipant(roomId: string, participantId: string): Promise<void>;
  /**
   * Changes a participant's role. Hosts only.
   * @param roomId the id of the room
   * @param participantId the `id` of the participant
   * @param role `host`, `participant` or `viewer`. A viewer cannot publish
   * @returns the participant with the new role
   * @throws ParleyError NOT_FOUND: there is no such room, or no such participant in it
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or the participant is its creator, who always stays a host
   */
  setRole(roomId: string, participantId: string, role: ParticipantRole): Promise<Participant>;
  /**
   * Locks or unlocks a room. Only invited wallets can join a locked room. Hosts only.
   * @param roomId the id of the room
   * @param locked false unlocks the room. Default: true
   * @returns the room with its new settings
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  lock(roomId: string, locked?: boolean): Promise<ConferenceRoom>;
  /**
   * Lists the rooms that this wallet created, is in, or is invited to, newest first.
   * @param query.status only rooms with this status. Default: `waiting` and `active`
   * @param query.limit 1 to 100. Default: 50
   * @param query.offset rooms to skip, 0 to 100,000. Default: 0
   * @returns the rooms
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  list(query?: RoomsQuery): Promise<ConferenceRoom[]>;
  /**
   * Lists the rooms that this wallet was in or hosted and that have ended, the latest end first, without breakouts. getChat() reads their
   * chats.
   * @param query.limit 1 to 100. Default: 20
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns a page of rooms, each with the times at which this wallet first joined and last left, this wallet's recordings of the room, at
   * most 10, and the number of chat messages that it can read
   * @throws ParleyError VALIDATION_ERROR: `limit` is out of bounds, or `cursor` is not one of this list
   * @example const { data, nextCursor } = await client.conference.past({ limit: 10 });
   */
  past(query?: PastRoomsQuery): Promise<Page<PastRoom>>;
  /**
   * Reads a room by its id. `participants` is empty if this wallet could not join the room.
   * @param roomId the id of the room
   * @returns the room. Its `entry` says what happens to this wallet when it joins: it enters (`enter`), waits for a host (`wait`), or is
   * refused (`locked`, `removed`, `full`). It is missing for guests and for rooms that have ended
   * @throws ParleyError NOT_FOUND: there is no such room
   */
  get(roomId: string): Promise<ConferenceRoom & { entry?: RoomEntry | undefined }>;
  /**
   * Invites wallets. They are notified, and can join without waiting, even if the room is locked or they were removed. A gate and the
   * room's capacity still apply. Hosts only.
   * @param roomId the id of the room
   * @param addresses 1 to 100 wallet addresses
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError INVALID_ADDRESS: one of the addresses is not a wallet address
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or has more than 10,000 members and invited wallets
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many invitations; each address counts. Try again after `retryAfter` seconds
   */
  invite(roomId: string, addresses: (Address | (string & {}))[]): Promise<void>;
  /**
   * Starts recording all participants. The recording belongs to this wallet. All participants get `conference:recording`, and those who
   * join later see the room's `isRecording`. The recording stops when the room ends, or with stopRecording(). Hosts only.
   * @param roomId the id of the room
   * @returns the recording, with status `recording`
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: nobody has joined the room yet, it has ended or is already being recorded, or this wallet's recordings
   * use all the storage it may have
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or has no space
   */
  startRecording(roomId: string): Promise<Recording>;
  /**
   * Stops the recording. The room continues. Soon after, the host who started the recording has its files in `client.recordings`. Hosts
   * only.
   * @param roomId the id of the room
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError CONFLICT: the room is not being recorded
   */
  stopRecording(roomId: string): Promise<void>;
  /**
   * Raises this wallet's hand, to ask for permission to speak, or lowers it.
   * @param roomId the id of the room
   * @param raised false lowers the hand. Default: true
   * @throws ParleyError NOT_FOUND: this device is not in the room
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  raiseHand(roomId: string, raised?: boolean): Promise<void>;
  /**
   * Sends a chat message to all participants. If the answer is lost, it is sent again for up to 20 seconds, and stored once.
   * @param roomId the id of the room
   * @param content 1 to 2,000 characters
   * @returns the message as the server stored it
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is not in it
   * @throws ParleyError ACCESS_DENIED: only hosts may write in this room (`chat_off`), or the participant token does not allow it
   * (`not_granted`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  sendChat(roomId: string, content: string): Promise<ChatMessage>;
  /**
   * Reads the room's chat, oldest first. The server keeps the last 500 messages of each room. While a room is open, its participants read its
   * chat; after its end, everyone who was in it. Those whom a host has removed, and those who left a room with a gate before it ended, can
   * read the messages until they left.
   * @param roomId the id of the room
   * @param query.limit the number of messages, 1 to 100. Default: 50
   * @param query.before the id of a message: reads the messages before it. Default: the latest messages
   * @returns the messages
   * @throws ParleyError NOT_FOUND: there is no such room, or this wallet is not in it and, after its end, never was
   */
  getChat(roomId: string, query?: { limit?: number; before?: string }): Promise<ChatMessage[]>;
  /**
   * Sends data to the other participants, who get `conference:data`. The server keeps nothing: a participant who is away gets nothing
   * later. The messages of one sender arrive in the order of the calls. The promise resolves when the server has sent the message on.
   * @param roomId the id of the room
   * @param topic what the data is about, in your own words: 1 to 64 characters
   * @param data bytes, or a JSON value nested up to 100 levels deep. At most 16,384 bytes; JSON is measured in UTF-8 without spaces
   * @param options.to the ids of the participants to send it to, 1 to 100; those who have left are passed over. Default: everybody
   * @param options.reliable false drops it for participants whose connection is congested. Default: true
   * @throws ParleyError VALIDATION_ERROR: the data is too large or not JSON, or another parameter is out of bounds
   * @throws ParleyError NOT_FOUND: there is no such room, this device is not in it, or none of the participants in `to` is
   * @throws ParleyError ACCESS_DENIED: the participant token of this guest does not allow it (`not_granted`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or another device of this wallet has taken over (`replaced`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many messages. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: too many messages of this device wait for the server's database
   * @example await client.conference.sendData(room.id, 'cursor', { x: 12, y: 40 }, { reliable: false });
   */
  sendData(
    roomId: string,
    topic: string,
    data: Uint8Array | JsonValue,
    options?: SendDataOptions,
  ): Promise<void>;
  /**
   * Lists the wallets in the waiting room, longest wait first. Hosts only.
   * @param roomId the id of the room
   * @returns the waiting wallets
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   */
  getWaiting(roomId: string): Promise<RoomWaiter[]>;
  /**
   * Admits a wallet from the waiting room. Hosts only.
   * @param roomId the id of the room
   * @param walletAddress the address of the waiting wallet
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError ROOM_FULL: the room is full (`room_full`)
   * @throws ParleyError NOT_FOUND: there is no such room, or the wallet is not waiting
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  admit(roomId: string, walletAddress: string): Promise<void>;
  /**
   * Admits the wallets in the waiting room, longest wait first, until the room is full. Hosts only.
   * @param roomId the id of the room
   * @returns how many were admitted, and how many still wait
   * @throws ParleyError NOT_FOUND: there is no such room
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError ROOM_FULL: the room is full (`room_full`)
   */
  admitAll(roomId: string): Promise<{ admitted: number; waiting: number }>;
  /**
   * Denies entry to a wallet in the waiting room, which can then join only after an invitation. Hosts only.
   * @param roomId the id of the room
   * @param walletAddress the address of the waiting wallet
   * @throws ParleyError ACCESS_DENIED: only a host of the room may do this (`not_a_host`)
   * @throws ParleyError NOT_FOUND: there is no such room, or the wallet is not waiting
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  deny(roomId: string, walletAddress: string): Promise<void>;
}

/** Selects the past rooms of this wallet. */
export interface PastRoomsQuery {
  /** 1 to 100. @default 20 */
  limit?: number;
  /** The `nextCursor` of the page before. @default the first page */
  cursor?: string;
}

/** Selects rooms. */
export interface RoomsQuery {
  /** Only rooms with this status. @default `waiting` and `active` */
  status?: RoomStatus;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Rooms to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

/** eSIM data plans: `client.esim`. All methods need the scope esim:order. */
export interface Esim {
  /**
   * Lists the packages. Their `available` says whether they can be ordered now.
   * @param query.country only packages for this country, for example `US`
   * @returns one page of packages
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  packages(query?: EsimPackageQuery): Promise<Page<EsimPackage>>;
  /**
   * Orders eSIMs. If the status of the result is `pending`, read the outcome later with order().
   * @param order.packageId the id of a package from packages()
   * @param order.quantity the number of eSIMs, 1 to 50. Default: 1
   * @param order.email an e-mail address to which the provider also sends the eSIMs, if it sends e-mail. Default: none
   * @param order.dryRun true returns the price (`quotedCredits`) without buying. Default: false
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order with its eSIMs, or the price for a dry run
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such package
   * @throws ParleyError CONFLICT: too few eSIMs of the package are left (`out_of_stock`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  checkout(order: EsimCheckout, options?: SpendOptions): Promise<EsimPurchase>;
  /**
   * Lists the account's orders with their eSIMs, latest first.
   * @param query the page to read. Default: the first 50
   * @returns one page of orders
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this
   */
  orders(query?: EsimOrdersQuery): Promise<Page<EsimOrder>>;
  /**
   * Reads an order with its eSIMs.
   * @param orderId the id of the order
   * @returns the order
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such order
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this
   */
  order(orderId: string): Promise<EsimOrder>;
}

/** Conference rooms with a gate on chain data: `client.gatedRooms`. Join them with `client.conference.join()`. */
export interface GatedRooms {
  /**
   * Creates a room with a gate. The gate may use the chains of the network that this client is signed in to: see getChains().
   * @param room the room as for client.conference.create(), with its gate
   * @returns the room, with status `waiting`
   * @throws ParleyError VALIDATION_ERROR: an unknown chain, or a contract that does not support the condition (`invalid_gate`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError CONFLICT: this wallet has 200 rooms that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read, or `settings.record` is true, but the server cannot record
   * @example
   * const room = await client.gatedRooms.create({ name: 'Holders', maxParticipants: 20, gateType: 'nft',
   *   gate: { type: 'nft', chainId: 1, contractAddress: '0x…', standard: 'erc721' } });
   */
  create(room: NewGatedRoom): Promise<GatedRoom>;
  /**
   * Checks whether a wallet meets the gate of a room, and which requirements it lacks. The creator of the room may always enter.
   * @param roomId the id of the room
   * @param walletAddress the address of the wallet
   * @returns whether the wallet may enter, and why not
   * @throws ParleyError NOT_FOUND: there is no such room, or it has no gate
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError ACCESS_DENIED: the room is on another network than the one this client is signed in to (`other_network`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read
   */
  checkAccess(roomId: string, walletAddress: string): Promise<AccessResult>;
  /**
   * Lists the chains that a gate may use: those of the network that this client is signed in to.
   * @returns the chains
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  getChains(): Promise<GateChain[]>;
  /**
   * Gives this wallet something of an example contract, so that a gate can be tried: an NFT, or 100 tokens. They are worth nothing. Only
   * servers that were started with `--demo-chain` have examples: see `examples` of getChains().
   * @param chainId the chain of the contract
   * @param contractAddress the address of the contract
   * @throws ParleyError NOT_FOUND: it is not an example of getChains()
   * @throws ParleyError INVALID_ADDRESS: `contractAddress` is not an address
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain does not answer
   */
  getExample(chainId: number, contractAddress: string): Promise<void>;
  /**
   * Reads a contract's name, symbol, decimals and supported conditions, to preview a gate before it is created.
   * @param chainId the EIP-155 chain id
   * @param contractAddress the address of the contract
   * @returns what the contract reports about itself
   * @throws ParleyError VALIDATION_ERROR: an unknown chain (`unknown_chain`), or no contract at this address (`no_contract`)
   * @throws ParleyError INVALID_ADDRESS: `contractAddress` is not an address
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the chain cannot be read
   * @example const { symbol, decimals, kinds } = await client.gatedRooms.inspect(8453, '0x…');
   */
  inspect(chainId: number, contractAddress: string): Promise<ContractFacts>;
}

/** The gated room to create. */
export interface NewGatedRoom extends NewRoom {
  /** The type of `gate`. */
  gateType: GateType;
  gate: GateConfig;
}

/**
 * Groups of up to 100 wallets that write to each other: `client.groups`. Their messages are in `client.messages`, which takes the id of a
 * group where it takes the address of a wallet.
 */
export interface Groups {
  /**
   * Creates a group. This wallet is its admin. A wallet to which this one is a contact (it has saved, called or written to this wallet) becomes
   * a member at once; the others are invited, and get the messages from when they join.
   * @param group the name of 1 to 50 characters, and the addresses of up to 99 other wallets
   * @returns the group
   * @throws ParleyError INVALID_ADDRESS: a member is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: the name is not valid, or there are more than 99 other members
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes or added wallets. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for 30 seconds
   * @example
   * const group = await client.groups.create({ name: 'Dinner', members: ['0x…', '0x…'] });
   * await client.messages.send({ to: group.id, content: 'Hello', type: 'text' });
   */
  create(group: NewGroup): Promise<Group>;
  /**
   * Reads a group and its members. `messages.getConversations()` lists the groups of this wallet.
   * @param groupId the id of the group
   * @returns the group. A wallet that has left or was removed does not see the members
   * @throws ParleyError NOT_FOUND: this wallet never was in such a group, and is not invited to it
   */
  get(groupId: string): Promise<Group>;
  /**
   * Renames a group. Only for admins.
   * @param groupId the id of the group
   * @param name 1 to 50 characters
   * @throws ParleyError NOT_FOUND: this wallet is in no such group
   * @throws ParleyError ACCESS_DENIED: this wallet is no admin of the group
   * @throws ParleyError VALIDATION_ERROR: the name is not valid
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes. Try again after `retryAfter` seconds
   */
  rename(groupId: string, name: string): Promise<void>;
  /**
   * Adds wallets to a group, as create() does. Wallets that have left the group are invited. Members are skipped.
   * @param groupId the id of the group
   * @param members the addresses of 1 to 99 wallets
   * @throws ParleyError INVALID_ADDRESS: one of them is not a wallet address
   * @throws ParleyError NOT_FOUND: this wallet is in no such group
   * @throws ParleyError ACCESS_DENIED: this wallet is not a member of the group
   * @throws ParleyError CONFLICT: the group would have more than 100 members and invited wallets
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes or added wallets. Try again after `retryAfter` seconds
   */
  add(groupId: string, members: (Address | (string & {}))[]): Promise<void>;
  /**
   * Removes a member from a group, or takes an invitation back. Only for admins. The wallet keeps the messages that it has got.
   * @param groupId the id of the group
   * @param member the address of the wallet
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError NOT_FOUND: this wallet is in no such group, or the other one is neither a member nor invited
   * @throws ParleyError ACCESS_DENIED: this wallet is no admin of the group
   * @throws ParleyError CONFLICT: the address is this wallet's own
   */
  remove(groupId: string, member: Address | (string & {})): Promise<void>;
  /**
   * Makes a member an admin, or an admin an ordinary member. Only for admins.
   * @param groupId the id of the group
   * @param member the address of the member
   * @param role `admin` or `member`
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError NOT_FOUND: this wallet is in no such group, or the other one is not
   * @throws ParleyError ACCESS_DENIED: this wallet is no admin of the group
   * @throws ParleyError CONFLICT: the wallet has not joined yet, or the group would have no admin
   */
  setRole(groupId: string, member: Address | (string & {}), role: GroupRole): Promise<void>;
  /**
   * Accepts an invitation. From now on, this wallet gets the group's messages. Does nothing for a member.
   * @param groupId the id of the group
   * @throws ParleyError NOT_FOUND: this wallet is not invited to such a group
   * @throws ParleyError ACCESS_DENIED: this wallet has left the group, has declined, or was removed
   */
  join(groupId: string): Promise<void>;
  /**
   * Leaves a group, or declines an invitation. This wallet keeps the messages that it has got. If no admin is left, the member who entered
   * first becomes one.
   * @param groupId the id of the group
   * @throws ParleyError NOT_FOUND: this wallet is in no such group
   */
  leave(groupId: string): Promise<void>;
}

/** A group to create. */
export interface NewGroup {
  /** 1 to 50 characters. */
  name: string;
  /** The addresses of up to 99 other wallets. @default none */
  members?: (Address | (string & {}))[];
}

/**
 * Searches known breaches for an e-mail address, user name, phone number, domain or password: `client.leaksearch`. For a password, send
 * only the first five hexadecimal digits of its SHA-1, and compare the rest with the `title` of each result. All methods need the scope
 * leaksearch:search.
 */
export interface Leaksearch {
  /**
   * Searches without spending credits, within the quota of the account's plan.
   * @param question.query the text to search for, 1 to 320 characters
   * @param question.type `email`, `username`, `phone`, `domain` or `password_sha1_prefix`
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the breaches that contain the query
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the query does not have the form of its type
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError INSUFFICIENT_BALANCE: the quota of the plan is used up (`quota_exceeded`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  search(question: LeakQuestion, options?: SpendOptions): Promise<FoundLeaks>;
  /**
   * Searches for credits. Takes the same `question` as search().
   * @param question what to search for, as for search()
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the breaches that contain the query, and the cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the query does not have the form of its type
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not offer this, or its provider does not answer (`upstream_error`)
   */
  searchWithCredits(question: LeakQuestion, options?: SpendOptions): Promise<BoughtLeaks>;
}

/** Look-ups of phone numbers: `client.lookup`. */
export interface Lookup {
  /**
   * Looks up the country, line type and carrier of a phone number. For an invalid number, the result has `valid: false`, and nothing is
   * charged. Needs the scope lookup:read.
   * @param question.phoneNumber the number, in any notation, 1 to 32 characters
   * @param question.country the country to assume for a number without a country code, for example `US`
   * @param question.fields any of `carrier`, `lineType` and `callerName`. Default: `carrier` and `lineType`
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns what is known about the number
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no look-ups, or their provider does not answer (`upstream_error`)
   */
  lookup(question: LookupQuestion, options?: SpendOptions): Promise<LookupAnswer>;
}

/** The media of this client's calls, rooms and streams: `client.media`. */
export interface Media {
  /**
   * Whether this client can send and receive media. False in a backend without WebRTC, which can take part in calls, rooms
   * and streams only without media; and in a browser without it, where calls and rooms are refused with `PERMISSION_DENIED`, and streams
   * are watched by HLS.
   */
  readonly isAvailable: boolean;
  /**
   * Uploads a file of up to 25 MB, in chunks: an image, video or audio file, or any other as a document. After a lost connection, the upload
   * continues where it stopped. A file that no message or voicemail uses within a day is removed.
   * @param file the file, up to 25 MB: a Blob or File, bytes, or the address of a file (`{ uri }`), as React Native's pickers return it
   * @param options.name the file name. Default: the name of `file`, if it has one
   * @param options.as `file` for a document, which is stored unchanged, for download only. Default: an image, video or audio file
   * @param options.onProgress called during the upload, with bytes
   * @param options.signal aborts the upload
   * @returns the stored file, with its `id`
   * @throws ParleyError VALIDATION_ERROR: the file is over 25 MB (`payload_too_large`), empty, or not an image, video or audio file
   * and not sent as a document (`unsupported_media_type`), or the file at its address cannot be read
   * @throws ParleyError ACCESS_DENIED: an API key cannot upload (`session_required`), or the account has no wallet
   * @throws ParleyError CONFLICT: this wallet has too many unused uploads, or the storage quota of the wallet or server is used up
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files or lacks a tool for this one, or is still processing it
   * (`still_processing`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer. Aborted by `signal`, the promise rejects with the reason of the signal
   * @example const { id, url } = await client.media.upload(file, { onProgress: ({ loaded, total }) => console.log(loaded / total) });
   */
  upload(file: UploadFile, options?: UploadOptions): Promise<MediaInfo>;
  /**
   * The camera and microphone that this device sends to a call, room or stream, always in the same object; null without media. Never
   * throws.
   * @param id the id of the call, room or stream
   * @returns the stream
   */
  localStream(id: string): MediaStream | null;
  /**
   * The screen this device shares, with its audio; null if it shares none. Never throws.
   * @param id the id of the call, room or stream
   * @returns the stream of the screen
   */
  localScreen(id: string): MediaStream | null;
  /**
   * Observes an element that shows a participant's video, so that the server sends the video at the size at which it is shown, and not at
   * all while it is hidden. The app plays the stream in the element as usual.
   * @param element the element, for example a `<video>`
   * @param what the track of a `media:track` event, or a participant and source
   * @returns a function that stops observing the element
   * @throws ParleyError VALIDATION_ERROR: there is no element, or this is not a browser: use view()
   * @example const detach = client.media.attach(video, { participant: participant.id, source: 'camera' })
   */
  attach(element: Element, what: Watched): () => void;
  /**
   * Reports the size at which a view shows a participant's video, so that the server sends the video at that size, and not at all while it
   * is hidden. For views that are not elements of a page, such as those of React Native. If several views show a video, the largest counts.
   * Never throws.
   * @param what the track of a `media:track` event, or a participant and source
   * @param size the size of the view in device pixels, and whether it is visible
   * @returns the view: update() reports another size, close() ends it
   * @example
   * const view = client.media.view({ participant: participant.id, source: 'camera' }, { width: 640, height: 360, isVisible: true });
   * view.update({ width: 640, height: 360, isVisible: false });
   */
  view(what: Watched, size: VideoSize): VideoView;
  /**
   * The other participants in the media of a call, room or stream, by its id. Empty if there is no media with this id. Never throws.
   * @param id the id of the call, room or stream
   * @returns the participants, without this wallet
   */
  participants(id: string): Participant[];
  /**
   * Sends a track of the app to a call, room or stream: of a canvas, a file or a bot. It replaces a captured track of the same source, and
   * is muted, replaced and sent again after a lost connection like one. If the source is muted, it stays muted until it is unmuted as
   * usual. A track that ends is unpublished. The SDK does not stop the track, unless `stop` says so.
   * @param id the id of the call, room or stream
   * @param track a video track for `camera` or `screen`, an audio track for `microphone` or `screen-audio`
   * @param options.source what the others get it as: `camera`, `microphone`, `screen` or `screen-audio`
   * @param options.codec the codec of a camera: `vp8`, `h264` or `vp9`. Default: 'vp8'
   * @param options.stop whether the SDK stops the track when it no longer sends it. Default: false
   * @throws ParleyError VALIDATION_ERROR: an unknown source, or a track of the wrong kind or that has ended
   * @throws ParleyError NOT_FOUND: this device has no media in a call, room or stream with this id
   * @throws ParleyError ACCESS_DENIED: this device only receives (`viewer`), the room does not allow the source (`video_off`, `audio_off`,
   * `screen_share_off`), or the participant token does not (`not_granted`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example await client.media.publish(call.id, track, { source: 'camera' });
   */
  publish(id: string, track: MediaStreamTrack, options: PublishOptions): Promise<void>;
  /**
   * Stops sending a source. A captured camera, microphone or screen is closed; a track that publish() sends is not stopped, unless its
   * `stop` said so. Unmuting the source afterwards opens the device. No effect if this device does not send the source.
   * @param id the id of the call, room or stream
   * @param source `camera`, `microphone`, `screen` or `screen-audio`
   * @throws ParleyError VALIDATION_ERROR: an unknown source
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  unpublish(id: string, source: Source): Promise<void>;
  /**
   * Lists the cameras, microphones and speakers. `media:devices` reports changes. Before the user has allowed a device, browsers list
   * none. Empty outside a browser.
   * @returns the devices, each with its `id`, its `label` and whether it is the one in use (`isChosen`)
   * @throws ParleyError PERMISSION_DENIED: the browser does not list devices on this page
   * @example const { microphones } = await client.media.devices();
   */
  devices(): Promise<DeviceList>;
  /**
   * Chooses the camera, microphone or speaker for current and later calls, rooms and streams. A camera or microphone is opened now only if
   * this device is sending from one; if that fails, the old device stays in use. No effect if another one is chosen before its turn. The
   * speaker plays what play() plays. If the chosen device is unplugged, the default one is used, and `media:devices` names it in `lost`.
   * Tracks that publish() sends are not replaced.
   * @param kind `camera`, `microphone` or `speaker`
   * @param deviceId the device's id, from devices()
   * @throws ParleyError VALIDATION_ERROR: an unknown kind
   * @throws ParleyError NOT_FOUND: there is no such device
   * @throws ParleyError PERMISSION_DENIED: microphone or camera refused, or this browser lets no page choose a speaker
   * @throws ParleyError CONFLICT: the device is in use
   */
  setDevice(kind: DeviceKind, deviceId: string): Promise<void>;
  /**
   * Chooses how the browser processes the microphone, in current and later calls, rooms and streams. What is not given stays as it is; at
   * first the browser decides. If the microphone cannot be opened again, everything stays as it was.
   * @param processing.echoCancellation whether to remove what the speaker plays
   * @param processing.noiseSuppression whether to remove noise
   * @param processing.autoGainControl whether to adjust the volume
   * @throws ParleyError NOT_FOUND: the microphone is gone
   * @throws ParleyError PERMISSION_DENIED: microphone refused
   * @throws ParleyError CONFLICT: the microphone is in use
   * @example await client.media.setAudioProcessing({ echoCancellation: false, noiseSuppression: false, autoGainControl: false });
   */
  setAudioProcessing(processing: AudioProcessing): Promise<void>;
  /**
   * Changes the camera or microphone by an effect before it is sent, in current and later calls, rooms and streams. It also applies to
   * tracks of publish(). If it fails, now or later, it is switched off, the untouched track is sent, and `media:effect:failed` says so.
   * @param kind `camera` or `microphone`
   * @param effect the effect, for example backgroundBlur() of `@parley/sdk/effects`; null for none. The previous one is closed
   * @throws ParleyError VALIDATION_ERROR: an unknown kind, or an object without apply() and close()
   * @example client.media.setEffect('camera', null);
   */
  setEffect(kind: 'camera' | 'microphone', effect: TrackEffect | null): Promise<void>;
  /**
   * Plays a stream in an element, on the chosen speaker. If the browser blocks sound because the user has not clicked on the page yet, a
   * video plays without sound, and `media:playback` says so: call startAudio() in a click.
   * @param element a `<video>` or `<audio>`
   * @param stream the stream, for example of a `media:track` event. Its tracks may change
   * @returns a function that stops it and releases the element
   * @throws ParleyError VALIDATION_ERROR: not an element that plays media, or not a stream
   * @example client.on('media:track', ({ stream }) => client.media.play(video, stream));
   */
  play(element: HTMLMediaElement, stream: MediaStream): () => void;
  /**
   * Starts the sound of play() and level() that the browser has blocked. Call it in the handler of a click.
   * @throws ParleyError PERMISSION_DENIED: the browser still blocks it, because this was not called in a click
   * @example button.onclick = () => client.media.startAudio();
   */
  startAudio(): Promise<void>;
  /**
   * Measures how loud an audio track is, 20 times a second, for example for a meter beside a microphone.
   * @param track an audio track
   * @param onLevel called with the loudness from 0 (silence) to 1
   * @returns a function that ends the measurement. It also ends with the track
   * @throws ParleyError VALIDATION_ERROR: not an audio track
   * @example const stop = client.media.level(track, (level) => (meter.value = level));
   */
  level(track: MediaStreamTrack, onLevel: (level: number) => void): () => void;
  /**
   * The state of the receiving transport; `new` before anything is received. Never throws.
   * @param id the id of the call, room or stream
   * @returns null if there is no media with this id
   */
  receivingState(id: string): RTCPeerConnectionState | null;
  /**
   * Reads the WebRTC statistics of a call, room or stream in both directions, in the format of RTCPeerConnection.getStats().
   * @param id the id of the call, room or stream
   * @returns the reports of each direction, and how the media reaches the server (`path`): directly over UDP or TCP, or relayed by a TURN
   *   server; null while it is not connected
   * @throws ParleyError NOT_FOUND: no media with this id
   */
  stats(id: string): Promise<MediaStats>;
  /**
   * Tests whether this device can call from here: secure page, microphone, camera, WebSocket, the ways to the media server (UDP, TCP, each
   * TURN server), and the quality of a video that it sends to itself for a few seconds. It takes about 15 seconds, and needs no call. A
   * wallet may run six tests a minute; a guest cannot run one.
   * @param options.devices whether to open the microphone and camera for a moment, for which the browser may ask. Default: true
   * @param options.onStart called with each check that starts
   * @param options.onFinding called with each finding
   * @param options.signal ends the test
   * @returns the report; its `text` is for a support person. What is wrong is in it, and does not reject
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many tests in a minute
   * @throws ParleyError ACCESS_DENIED: this client is a guest's
   * @throws ParleyError SERVICE_UNAVAILABLE: no media worker is running. Ended by `signal`, the promise rejects with the reason of the
   * signal
   * @example const { level, text } = await client.media.test({ onFinding: ({ message }) => console.log(message) });
   */
  test(options?: MediaTestOptions): Promise<MediaTestReport>;
}

/** How a device's media reaches the server. */
export interface MediaPath {
  /** The transport to the server, or to the TURN server that relays. */
  over: 'udp' | 'tcp' | 'tls';
  /** Whether a TURN server relays. */
  relayed: boolean;
}

/** The WebRTC statistics of a call, room or stream. */
export interface MediaStats {
  sending: RTCStats[];
  receiving: RTCStats[];
  /** How the media reaches the server; null while it is not connected. */
  path: MediaPath | null;
}

/** Messages between wallets and in groups: `client.messages`. */
export interface Messages {
  /**
   * Sends a message. It appears in pending() immediately, and `message:sending` is emitted. The promise resolves when the server has stored
   * the message. If the network or the server is unavailable, the client retries for `sendLimitSeconds`. Messages to one wallet or group
   * keep their order, and each is delivered once.
   * @param message the recipient, the text of up to 10,000 characters, for other types the file, and the message it replies to
   * @param message.onProgress called during the upload of the file, with bytes
   * @param message.signal aborts the upload of the file
   * @returns the stored message
   * @throws ParleyError INVALID_ADDRESS: the recipient is neither a wallet address nor the id of a group
   * @throws ParleyError ACCESS_DENIED: this wallet is not a member of the group
   * @throws ParleyError VALIDATION_ERROR: the text or file is missing or too large, the file is not of the `type`, or the recipient is this
   * wallet itself
   * @throws ParleyError NOT_FOUND: this wallet can see no message `replyTo` in the conversation, or is in no such group
   * @throws ParleyError CONFLICT: this wallet has too many unused uploads, or the storage quota of the wallet or server is used up
   * @throws ParleyError AUTHENTICATION_REQUIRED: there is no valid session, or it is now that of another wallet
   * @throws ParleyError SERVICE_UNAVAILABLE: the server was not available, or stores no files, for `sendLimitSeconds`
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for `sendLimitSeconds`. Aborted by `signal`, the promise rejects
   * with the reason of the signal
   * @example await client.messages.send({ to: '0x…', content: 'Hello', type: 'text' });
   */
  send(message: SendMessage): Promise<Message>;
  /**
   * Sends a file in a message of the fitting type: `image`, `video` or `audio` if the server can show or play it, otherwise `file`: a document
   * that the recipient downloads unchanged. The promise, the events and the retries are those of send().
   * @param message the recipient, the file of up to 25 MB, its name, a caption, and the message it replies to
   * @param message.onProgress called during the upload, with bytes
   * @param message.signal aborts the upload
   * @returns the stored message
   * @throws ParleyError INVALID_ADDRESS: the recipient is neither a wallet address nor the id of a group
   * @throws ParleyError VALIDATION_ERROR: the file is empty or too large, the caption is too long, or the recipient is this wallet itself
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for `sendLimitSeconds`. The other errors are those of send()
   * @example await client.messages.sendFile({ to: '0x…', file: new Blob(['…']), name: 'contract.txt', content: 'The contract' });
   */
  sendFile(message: SendFile): Promise<Message>;
  /**
   * Changes the content of a message that this wallet has sent: a text or a caption. All wallets of the conversation get `message:edited`. A message that the
   * server has not stored yet is changed before or directly after it is stored.
   * @param messageId the id of the message
   * @param content up to 10,000 characters. It may be empty only with a file
   * @returns the changed message
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError ACCESS_DENIED: another wallet sent the message, or this one is no longer a member of the group
   * @throws ParleyError CONFLICT: the message was deleted
   * @throws ParleyError VALIDATION_ERROR: the content is too long, or empty without a file
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many messages and edits. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example await client.messages.edit('msg_…', 'Hello again');
   */
  edit(messageId: string, content: string): Promise<Message>;
  /**
   * Finds messages that contain all words of a query, newest first, in all conversations of this wallet or in one. A word of the query also
   * finds words that begin with it. Case and accents do not matter. Hidden and deleted messages are not found. The server prepares the
   * search of a wallet when it searches for the first time; with very many messages, this can take some seconds.
   * @param search the query of up to 200 characters, the other wallet or the group, and which page. Default: the latest 50 messages
   * @returns a page of messages
   * @throws ParleyError VALIDATION_ERROR: the query has no letter, digit or emoji, or a field is out of bounds
   * @throws ParleyError INVALID_ADDRESS: `with` is neither a wallet address nor the id of a group
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server is still preparing the search. Try again later
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const { data, nextCursor } = await client.messages.search({ query: 'dinner fri' });
   */
  search(search: MessageSearchQuery): Promise<Page<Message>>;
  /**
   * Returns the messages that the server has not stored yet, with status `sending` or `failed`.
   * @param peer only messages to this wallet or group. Default: all messages
   * @returns the messages, in the order in which they are sent
   * @throws ParleyError INVALID_ADDRESS: `peer` is neither a wallet address nor the id of a group. It is thrown, because this method is synchronous
   */
  pending(peer?: Recipient | (string & {})): Message[];
  /**
   * Sends a failed message again.
   * @param messageId the id of the failed message
   * @returns the stored message
   * @throws ParleyError NOT_FOUND: no failed message has this id
   * @throws ParleyError NETWORK_ERROR: the server could not be reached for `sendLimitSeconds`. The other errors are those of send()
   */
  retry(messageId: string): Promise<Message>;
  /**
   * Removes a failed message from pending(). Does nothing if no failed message has this id. Never throws.
   * @param messageId the id of the failed message
   */
  discard(messageId: string): void;
  /**
   * Lists conversations, latest first: those with messages, and the groups of which this wallet is a member or to which it is invited.
   * @param query.limit 1 to 100. Default: 100
   * @param query.offset conversations to skip, 0 to 100,000. Default: 0
   * @returns the conversations
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  getConversations(query?: { limit?: number; offset?: number }): Promise<Conversation[]>;
  /**
   * Reads the conversation with a wallet, or of a group. Before the first message, its `lastMessage` is null.
   * @param peer the address of the other wallet, or the id of the group
   * @returns the conversation
   * @throws ParleyError INVALID_ADDRESS: `peer` is neither a wallet address nor the id of a group
   * @throws ParleyError NOT_FOUND: this wallet never was in such a group, and is not invited to it
   */
  getConversation(peer: Recipient | (string & {})): Promise<Conversation>;
  /**
   * Reads the messages of a conversation, newest first.
   * @param query the other wallet or the group, and which messages. Default: the latest 50
   * @returns the messages
   * @throws ParleyError INVALID_ADDRESS: `with` is neither a wallet address nor the id of a group
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds, or `around` is combined with `before` or `offset`
   * @throws ParleyError NOT_FOUND: this wallet sees no message `around` in the conversation, or never was in such a group
   * @example const messages = await client.messages.getMessages({ with: '0x…', limit: 20 });
   */
  getMessages(query: MessageQuery): Promise<Message[]>;
  /**
   * Marks a received message and all before it as read.
   * @param messageId the id of the message
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError ACCESS_DENIED: this wallet sent the message
   */
  markAsRead(messageId: string): Promise<void>;
  /**
   * Adds a reaction. A wallet may add up to ten different emoji to a message.
   * @param messageId the id of the message
   * @param emoji one emoji
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError VALIDATION_ERROR: not one emoji
   * @throws ParleyError CONFLICT: the message was deleted, or has ten reactions of this wallet
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  addReaction(messageId: string, emoji: string): Promise<void>;
  /**
   * Removes one of this wallet's reactions.
   * @param messageId the id of the message
   * @param emoji the emoji
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError CONFLICT: the message was deleted
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   */
  removeReaction(messageId: string, emoji: string): Promise<void>;
  /**
   * Deletes a message, for this wallet only or for everyone.
   * @param messageId the id of the message
   * @param options.forEveryone deletes the content for all wallets and sets `deletedAt`. Only for the sender. Default: false
   * @throws ParleyError NOT_FOUND: there is no such message
   * @throws ParleyError ACCESS_DENIED: another wallet sent the message, so it cannot be deleted for everyone
   */
  delete(messageId: string, options?: { forEveryone?: boolean }): Promise<void>;
  /**
   * Shows another wallet, or the members of a group, that this wallet is typing. May be called on every key press. The indicator ends 5 seconds after the last call.
   * @param to the address of the other wallet, or the id of the group
   * @param typing false ends the indicator immediately
   * @throws ParleyError INVALID_ADDRESS: `to` is neither a wallet address nor the id of a group
   * @throws ParleyError VALIDATION_ERROR: this wallet's own address
   * @throws ParleyError ACCESS_DENIED: this wallet is not a member of the group
   */
  setTyping(to: Recipient | (string & {}), typing: boolean): Promise<void>;
}

/** Selects messages of a conversation. */
export interface MessageQuery {
  /** The other wallet, or the id of a group. */
  with: Recipient | (string & {});
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Messages to skip, 0 to 100,000. @default 0 */
  offset?: number;
  /** Only messages before this time. Use the timestamp of the oldest message to read the next page. */
  before?: Date;
  /**
   * The id of a message of this conversation, to read it with the messages before and after it: at most half of `limit` are newer. Not
   * together with `before` or `offset`. @default the latest messages
   */
  around?: string;
}

/** What to search for. */
export interface MessageSearchQuery {
  /** 1 to 200 characters, with at least one letter, digit or emoji. */
  query: string;
  /** Only messages of the conversation with this wallet, or of this group. @default all conversations */
  with?: Recipient | (string & {});
  /** 1 to 100. @default 50 */
  limit?: number;
  /** The `nextCursor` of the previous page. @default the first page */
  cursor?: string;
}

/** The file to send in a message. */
export interface SendFile extends Omit<SendMessage, 'content' | 'type' | 'media'>, MediaConfig {
  /** The caption, up to 10,000 characters. @default none */
  content?: string;
}

/** The message to send. */
export interface SendMessage extends Pick<UploadOptions, 'onProgress' | 'signal'> {
  /** The recipient's wallet address, or the id of a group. */
  to: Recipient | (string & {});
  /** Up to 10,000 characters. It may be empty only with a file. */
  content: string;
  /** `text`, or the kind of the file in `media`: `file` for a document. */
  type: MessageType;
  /** The file of an image, video or audio message, or the document of a `file` message, up to 25 MB. */
  media?: MediaConfig;
  /**
   * The message of the same conversation that this one replies to, or its id. With the message itself, pending() shows the quote at once; with
   * an id, the quote appears when the server has stored the reply.
   */
  replyTo?: string | Pick<Message, 'id' | 'from' | 'content' | 'type'>;
}

/** Texts of the account's numbers and the server's pool, grouped into threads: `client.messaging`. */
export interface Messaging {
  /**
   * Sends a text from one of the account's numbers or the pool. Needs the scope sms:send.
   * @param message.to the recipient, in E.164
   * @param message.message the text, 1 to 1,600 characters
   * @param message.from one of the account's numbers. Default: a number of the pool
   * @param message.mediaUrls the URLs of up to ten images, if the carrier supports MMS
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the text, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: `from` is not one of the account's numbers
   * @throws ParleyError CONFLICT: the number is not active (`number_not_active`)
   * @throws ParleyError VALIDATION_ERROR: the server sends no texts to this country (`unsupported_destination`), or the recipient has opted
   * out (`recipient_opted_out`), or the carrier sends no images
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the pool has no number for this recipient (`no_pool_number`)
   */
  send(message: NewThreadMessage, options?: SpendOptions): Promise<SentText>;
  /**
   * Lists threads, latest first. Needs the scope numbers:read.
   * @param query the page to read. Default: the first 50
   * @returns one page of threads
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  threads(query?: ThreadQuery): Promise<Page<MessageThread>>;
  /**
   * Reads the texts exchanged with a phone number, latest first. Reading the first page marks the thread as read. Needs the scope
   * numbers:read.
   * @param counterparty the other party, as in its thread: a number in E.164; or the short code or the name of a sender without one
   * @param query the page to read. Default: the first 50
   * @returns the thread with one page of its texts
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such thread
   * @throws ParleyError VALIDATION_ERROR: `counterparty` is neither a number nor a sender of a thread
   */
  thread(counterparty: string, query?: ThreadQuery): Promise<MessageThreadPage>;
}

/** Push notifications, for devices on which the app is not connected: `client.notifications`. */
export interface Notifications {
  /**
   * Asks the user for permission to show notifications, unless they have decided before. Never rejects.
   * @returns whether notifications may be shown; false if the browser does not support them
   */
  requestPermissions(): Promise<boolean>;
  /**
   * Registers this device for push notifications until the session ends. Call it each time the app starts, because the browser's
   * subscription or the token may have changed. A wallet keeps its ten latest registrations.
   * @param options the app's own service worker, or the FCM or APNs token. Default: this browser, with the server's service worker
   * @throws ParleyError PERMISSION_DENIED: notifications are not allowed: call requestPermissions() first
   * @throws ParleyError NOT_FOUND: the browser has no Web Push, or the service worker could not be installed
   * @throws ParleyError SERVICE_UNAVAILABLE: the server does not use this push service
   * @throws ParleyError VALIDATION_ERROR: the token does not have the form of one
   * @throws ParleyError NETWORK_ERROR: the server did not answer, or the browser's push service cannot be reached
   * @example if (await client.notifications.requestPermissions()) await client.notifications.register();
   */
  register(options?: RegisterWeb | RegisterFcm | RegisterApns): Promise<void>;
  /**
   * Stops push notifications to this device.
   * @param options the FCM or APNs token it was registered with. Default: this browser
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  unregister(options?: RegisterWeb | RegisterFcm | RegisterApns): Promise<void>;
  /**
   * Chooses the kinds of notifications that this wallet gets, on all its devices.
   * @param preferences true or false for each kind to change; kinds that are left out stay as they are. Initially, a wallet gets all kinds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example await client.notifications.setPreferences({ messages: false });
   */
  setPreferences(preferences: NotificationPreferences): Promise<void>;
  /**
   * Reads which kinds of notifications this wallet gets.
   * @returns true or false for each kind
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  getPreferences(): Promise<Required<NotificationPreferences>>;
}

/** Registers an iPhone app by its APNs token. */
export interface RegisterApns {
  /** The device token of APNs or PushKit, in hexadecimal. */
  apns: string;
  /** `voip` for a PushKit token, which gets calls only. @default 'alert' */
  mode?: 'voip' | 'alert';
}

/** Registers an app by its FCM token, for example on Android. */
export interface RegisterFcm {
  /** The FCM registration token, 16 to 2,000 characters. */
  fcm: string;
}

/** Registers a browser. */
export interface RegisterWeb {
  /** The app's own service worker, by its URL or registration. It must import parley-push.js. @default '/sdk/parley-push.js' */
  serviceWorker?: string | ServiceWorkerRegistration | URL;
}

/** The account's phone numbers, which are paid by the month, with their texts and webhooks: `client.numbers`. */
export interface Numbers {
  /**
   * Lists numbers that can be bought in a country. Needs the scope numbers:read.
   * @param query.country two capital letters, for example `US`
   * @param query.type `local`, `mobile` or `toll_free`. Default: all
   * @param query.areaCode the first one to six digits after the country code. Default: any
   * @returns the numbers, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  available(query: AvailableQuery): Promise<Page<AvailableNumber>>;
  /**
   * Buys a number. If the status of the order is `pending`, read the outcome later with status(). Needs the scope numbers:buy.
   * @param number.country two capital letters, for example `US`
   * @param number.phoneNumber a number from available(). Default: any number that fits the other fields
   * @param number.type `local`, `mobile` or `toll_free`. Default: the usual type of the country
   * @param number.areaCode the first one to six digits after the country code. Default: any
   * @param number.capabilities what the number must support: `sms`, `mms`, `voice`. Default: only `sms`
   * @param number.autoRenew whether the number is renewed automatically before it expires. Default: false
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError CONFLICT: the number, or any that fits, is not for sale (`number_unavailable`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`), or it requires documents
   * (`regulatory_requirements`: then `extra.requirements` lists them)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  buy(number: NewNumber, options?: SpendOptions): Promise<NumberOrder>;
  /**
   * Buys a number in the United States. Needs the same scope as buy().
   * @param number which number: `phoneNumber`, `areaCode`, `type` (`local` or `toll_free`) and `autoRenew`, as for buy(). Default: any
   * local number
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError CONFLICT: the number, or any that fits, is not for sale (`number_unavailable`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`), or it requires documents
   * (`regulatory_requirements`: then `extra.requirements` lists them)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  buyUs(number?: NewUsNumber, options?: SpendOptions): Promise<NumberOrder>;
  /**
   * Buys a number in any country except the United States. Needs the same scope as buy().
   * @param number which number: `country`, `phoneNumber`, `type` and `autoRenew`, as for buy()
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the order, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError CONFLICT: the number, or any that fits, is not for sale (`number_unavailable`)
   * @throws ParleyError VALIDATION_ERROR: no such numbers are sold in this country (`unsupported_country`), or it requires documents
   * (`regulatory_requirements`: then `extra.requirements` lists them), or it is the United States (`use_us_route`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server sells no numbers, or its carrier does not answer (`upstream_error`)
   */
  buyIntl(number: NewForeignNumber, options?: SpendOptions): Promise<NumberOrder>;
  /**
   * Reads the status of an order. Needs the scope numbers:read.
   * @param orderId the id of the order
   * @returns the order, with its number once it is completed
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such order
   */
  status(orderId: string): Promise<NumberOrderStatus>;
  /**
   * Lists the account's numbers, latest first. Needs the scope numbers:read.
   * @param query the page to read. Default: the first 50
   * @returns one page of numbers
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  mine(query?: NumberQuery): Promise<Page<PhoneNumber>>;
  /**
   * Lists the texts from and to the account's numbers, latest first. Needs the scope numbers:read.
   * @param query the texts to list. Default: the latest 50
   * @returns one page of texts
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has never had the `number`
   */
  messages(query?: NumberMessagesQuery): Promise<Page<TextMessage>>;
  /**
   * Sends a text from one of the account's numbers. Needs the scope sms:send.
   * @param message.to the recipient, in E.164
   * @param message.message the text, 1 to 1,600 characters
   * @param message.from one of the account's numbers. Default: the account's only active number
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the text, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: `from` is not one of the account's numbers
   * @throws ParleyError CONFLICT: the number is not active (`number_not_active`)
   * @throws ParleyError VALIDATION_ERROR: `from` is missing, and the account does not have exactly one active number (`from_required`), the
   * server sends no texts to this country (`unsupported_destination`), or the recipient has opted out (`recipient_opted_out`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   */
  send(message: NewNumberMessage, options?: SpendOptions): Promise<SentText>;
  /**
   * Extends the paid period of a number. Needs the scope numbers:buy.
   * @param renewal the number, by `numberId` or `phoneNumber`
   * @param renewal.months months to add, 1 to 12. Default: 1
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the number with its new expiry, and the cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError CONFLICT: the number was released (`number_released`), or is still being bought or belongs to a carrier that the
   * server no longer uses (`number_not_active`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   */
  renew(renewal: NumberRenewal, options?: SpendOptions): Promise<RenewedNumber>;
  /**
   * Switches the automatic renewal of a number on or off. Needs the scope numbers:buy.
   * @param id the id of the number
   * @param autoRenew whether the number is renewed before it expires
   * @returns the number
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError CONFLICT: the number was released (`number_released`), or is still being bought (`number_not_active`)
   */
  setAutoRenew(id: string, autoRenew: boolean): Promise<PhoneNumber>;
  /**
   * Gives a number back, permanently. The rest of its paid period is not refunded. Needs the scope numbers:buy.
   * @param numberId the id of the number
   * @returns the released number
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError CONFLICT: the number was released (`number_released`), or is still being bought (`number_not_active`)
   */
  release(numberId: string): Promise<PhoneNumber>;
  /**
   * Sets or removes the webhook of a number. Store the secret for verifyWebhook(): it is returned only when it is new. Needs the scope
   * numbers:read.
   * @param webhook the number, by `numberId` or `phoneNumber`, and the fields below
   * @param webhook.url the URL to which events are posted; null removes the webhook
   * @param webhook.events the event types to post. Default: all
   * @param webhook.rotateSecret true creates a new secret; for one more day, the old one signs too. Default: false
   * @returns the webhook, with its `secret` if that is new
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   * @throws ParleyError VALIDATION_ERROR: the URL is not valid (`invalid_url`), or not a public https address (`url_not_allowed`)
   * @throws ParleyError CONFLICT: the number was released (`number_released`)
   */
  setWebhook(webhook: NewWebhook): Promise<Webhook>;
  /**
   * Reads the webhook of a number, without its secret. Needs the scope numbers:read.
   * @param which the number, by `numberId` or `phoneNumber`
   * @returns the webhook and its state
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number, or it has no webhook
   */
  webhook(which: WhichNumber): Promise<WebhookState>;
  /**
   * Sends a test event to the webhook of a number. Read the outcome with webhookDeliveries(). Needs the scope numbers:read.
   * @param which the number, by `numberId` or `phoneNumber`
   * @returns the delivery of the test event
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number, or it has no webhook
   * @throws ParleyError CONFLICT: the webhook is disabled, because it answered 410
   */
  testWebhook(which: WhichNumber): Promise<WebhookDelivery>;
  /**
   * Lists the webhook deliveries of one number or of all, latest first. Needs the scope numbers:read.
   * @param query the deliveries to list. Default: the latest 50
   * @returns one page of deliveries
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such number
   */
  webhookDeliveries(query?: WebhookDeliveryQuery): Promise<Page<WebhookDelivery>>;
}

/** For the operator of the server: `client.operator`. Needs a dashboard session of a wallet named in the setting OPERATOR_WALLETS. */
export interface Operator {
  /**
   * Lists the payments for single requests (x402), latest first.
   * @param query.status only `settling`, `settled`, `done` or `failed` payments. Default: all
   * @param query.payer only payments of this wallet. Default: all
   * @returns one page of payments
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @example const { data } = await client.operator.payments({ status: 'failed' });
   */
  payments(query?: RequestPaymentQuery): Promise<Page<RequestPayment>>;
  /**
   * Reads the nodes of the installation, and what is going on now.
   * @returns the nodes and the numbers of calls, rooms, people, streams and viewers
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   */
  overview(): Promise<OperatorOverview>;
  /**
   * Drains a node of a cluster: it takes no new rooms and hands over its own, and `/readyz` fails. Or lets it serve again.
   * @param nodeId the id of the node
   * @param isDraining true drains the node; false lets it serve again
   * @returns the node
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: no living node has this id
   * @throws ParleyError CONFLICT: no other node could take its rooms
   */
  drain(nodeId: string, isDraining: boolean): Promise<OperatorNode>;
  /**
   * Lists the latest warnings and errors in the logs of all nodes, latest first.
   * @param query.requestId only what was logged about this request. Default: all
   * @param query.limit the number of entries, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of entries
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   */
  errors(query?: OperatorErrorsQuery): Promise<Page<OperatorError>>;
  /**
   * Lists accounts, latest first.
   * @param query.find only the account with this wallet, id or email address. Default: all
   * @param query.blocked `true`: only blocked accounts, `false`: only others. Default: all
   * @param query.limit the number of accounts, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of accounts
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: `find` is none of these
   */
  accounts(query?: OperatorAccountsQuery): Promise<Page<OperatorAccount>>;
  /**
   * Grants credits to an account.
   * @param accountId the id of the account
   * @param grant.credits how many, 1 to 999,999,999
   * @param grant.reason why, 1 to 200 characters. The account sees it in its history
   * @param options.idempotencyKey a retry with the same key grants nothing again. Default: a new key
   * @returns the account with its new balance
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such account
   * @throws ParleyError VALIDATION_ERROR: a field is missing or out of bounds
   */
  grant(accountId: string, grant: CreditGrant, options?: SpendOptions): Promise<OperatorAccount>;
  /**
   * Blocks an account: its sessions and connections end, its API keys are refused, and nobody can sign in to it.
   * @param accountId the id of the account
   * @param block.reason why, 1 to 200 characters. Only operators see it
   * @returns the account
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such account
   * @throws ParleyError VALIDATION_ERROR: the reason is missing or too long
   */
  block(accountId: string, block: BlockReason): Promise<OperatorAccount>;
  /**
   * Ends the block of an account.
   * @param accountId the id of the account
   * @returns the account
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError NOT_FOUND: there is no such account
   */
  unblock(accountId: string): Promise<OperatorAccount>;
  /**
   * Reads the quality of the media in any call or room, and what was wrong with it.
   * @param id the id of the call or room
   * @param query.from leaves out what was before this time. Default: everything
   * @returns its quality; without participants if nothing was kept
   * @throws ParleyError ACCESS_DENIED: not an operator, or not a dashboard session (`session_required`)
   * @throws ParleyError VALIDATION_ERROR: not the id of a call or room
   */
  quality(id: string, query?: QualityQuery): Promise<KeptQuality>;
}

/** Names and images of wallets: `client.people`. */
export interface People {
  /**
   * Reads this wallet's own profile.
   * @returns the profile, with null for what is not set
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  profile(): Promise<Profile>;
  /**
   * Changes this wallet's profile. The server tells it only to wallets that this one has to do with: those that it has saved as contacts,
   * called, answered, written to or left a voicemail, those in the same room at the moment, and the members of its groups. Wallets that it has blocked do not get it.
   * In a room, all participants see the name, unless the app gives another one to `conference.join()`.
   * @param changes the name of 1 to 50 characters and the id of an uploaded image; null removes one, and a field that is left out stays as
   * it is. The server stores the middle of the image as a square of 256 pixels
   * @returns the profile
   * @throws ParleyError VALIDATION_ERROR: the name is empty, too long, looks like an address or an ENS name, or contains control characters,
   * or characters that are invisible or change the direction of text; or the file is not an image
   * @throws ParleyError NOT_FOUND: this wallet has no such unused upload
   * @throws ParleyError CONFLICT: the upload is not complete, or was sent in a message
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many changes. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files
   * @example await client.people.setProfile({ name: 'Alice' });
   */
  setProfile(changes: ProfileChanges): Promise<Profile>;
  /**
   * Reads the names and images of wallets, as far as they are told to this wallet. Answers are kept for some minutes, and requests that are
   * made at the same time are sent as one, so a list may call this for each of its rows. A name in ENS that the server does not know yet is
   * missing at first; `person:updated` follows when it is known.
   * @param addresses the addresses of 1 to 100 wallets
   * @returns a person for each address, in the same order
   * @throws ParleyError INVALID_ADDRESS: one of them is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: there are more than 100 addresses
   * @throws ParleyError RATE_LIMIT_EXCEEDED: more than 5,000 wallets in a minute. Try again after `retryAfter` seconds
   * @example const [bob] = await client.people.get(['0x…']);
   */
  get(addresses: (Address | (string & {}))[]): Promise<Person[]>;
  /**
   * Saves a wallet as a contact under a name, which only this wallet sees, on all its devices. If it is a contact already, changes the name.
   * From then on, the contact gets this wallet's profile. A wallet can save 5,000 contacts.
   * @param address the address of the wallet
   * @param name 1 to 50 characters
   * @returns the contact
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: the name is not valid, or the address is this wallet's own
   * @throws ParleyError CONFLICT: there are 5,000 contacts
   */
  saveContact(address: Address | (string & {}), name: string): Promise<SavedContact>;
  /**
   * Removes a contact. Does nothing if the wallet is not a contact.
   * @param address the address of the contact
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  removeContact(address: Address | (string & {})): Promise<void>;
  /**
   * Lists the contacts that this wallet has saved, sorted by name.
   * @param query which page. Default: the first 50 contacts
   * @returns a page of contacts
   * @throws ParleyError VALIDATION_ERROR: the limit is not 1 to 100, or the cursor is not of this list
   */
  contacts(query?: PageQuery): Promise<Page<SavedContact>>;
  /**
   * Finds the wallet that an ENS name names, through the chains that the server is configured with. Names that need an off-chain gateway are
   * not found.
   * @param name the name, such as `vitalik.eth`, up to 255 characters
   * @returns the address of the wallet
   * @throws ParleyError VALIDATION_ERROR: this is not an ENS name
   * @throws ParleyError NOT_FOUND: the name does not exist, or names no wallet
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many searches. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server reads no chain with ENS, or the chain does not answer
   */
  find(name: string): Promise<Address>;
}

/** The fields of the profile to change. */
export interface ProfileChanges {
  /** 1 to 50 characters, or null to remove the name. @default unchanged */
  name?: string | null;
  /** The id of an image that this wallet has uploaded with `media.upload()`, or null to remove the image. @default unchanged */
  avatarId?: string | null;
}

/** This wallet's recordings: `client.recordings`. */
export interface Recordings {
  /**
   * Lists recordings, newest first.
   * @param query the recordings to list. Default: the latest 50
   * @returns the recordings
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const [latest] = await client.recordings.list({ kind: 'stream', roomId: stream.id });
   */
  list(query?: RecordingsQuery): Promise<Recording[]>;
  /**
   * Reads a recording. Its URLs are signed, support range requests, and are valid for about an hour.
   * @param recordingId the id of the recording
   * @returns the recording
   * @throws ParleyError NOT_FOUND: there is no such recording, or another wallet's
   */
  get(recordingId: string): Promise<Recording>;
  /**
   * Deletes a recording and its files, permanently.
   * @param recordingId the id of the recording
   * @throws ParleyError NOT_FOUND: there is no such recording
   * @throws ParleyError CONFLICT: it is still being recorded or processed
   */
  delete(recordingId: string): Promise<void>;
}

/** Selects recordings. */
export interface RecordingsQuery {
  /** Only recordings of this kind. @default all */
  kind?: RecordingKind;
  /** Only recordings of this stream, room or call. */
  roomId?: string;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Recordings to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

/**
 * The rooms of the account, for backends with an API key: `client.rooms`. The account is the host of the rooms it creates; rooms of other
 * accounts do not exist for it. Apps and guests join rooms with `client.conference`.
 */
export interface Rooms {
  /**
   * Creates a room, whose host is the account. Needs the scope rooms:write.
   * @param room.name the name, 1 to 100 characters
   * @param room.maxParticipants the maximum number of participants at a time, 2 to 1,000. Default: 100
   * @param room.video whether the room allows cameras. Default: true
   * @param room.audio whether the room allows audio. Default: true
   * @param room.settings the settings. Default: `allowScreenShare` and `allowChat` on, all other switches off, `codec` 'vp8', `emptyTimeout`
   * 300, `maxDuration` null
   * @param room.gate the condition that wallets must meet to enter. Default: null, none. Guests never meet one
   * @param room.network the network on whose chains the gate is checked. Default: that of the session; 'mainnet' for an API key
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the room, with status `waiting`. It ends by itself if nobody enters for a day
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the account has 10,000 rooms that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain of the gate cannot be read, or `settings.record` is true and the server cannot record
   * @example const room = await client.rooms.create({ name: 'Consultation', maxParticipants: 2 });
   */
  create(room: NewBackendRoom, options?: SpendOptions): Promise<BackendRoom>;
  /**
   * Lists the rooms of the account, latest first, including those that its wallet has created in an app. Needs the scope rooms:read.
   * @param query.status only rooms with this status: `waiting`, `active` or `ended`. Default: rooms that have not ended
   * @param query.limit the number of rooms, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of rooms
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  list(query?: BackendRoomsQuery): Promise<Page<BackendRoom>>;
  /**
   * Reads a room with its participants. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  get(roomId: string): Promise<BackendRoomWithParticipants>;
  /**
   * Reads the quality of the media in a room: what the devices measured every ten seconds, what happened, and what was wrong. Needs the scope
   * rooms:read.
   * @param roomId the id of the room
   * @param query.from leaves out what was before this time, for example the `nextFrom` of an earlier answer. Default: the whole room
   * @returns the quality of the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @example const { findings } = await client.rooms.quality(roomId);
   */
  quality(roomId: string, query?: QualityQuery): Promise<KeptQuality>;
  /**
   * Changes a room. Everybody in it gets `conference:updated`. What it no longer allows, such as cameras, is closed. Needs the scope
   * rooms:write.
   * @param roomId the id of the room
   * @param changes the fields to change: `name`, `maxParticipants`, `video`, `audio`, and in `settings` single settings. The others stay.
   * `settings.record` has an effect only before the first participant enters
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError SERVICE_UNAVAILABLE: `settings.record` is true and the server cannot record
   * @example await client.rooms.update(roomId, { settings: { locked: true } });
   */
  update(roomId: string, changes: BackendRoomChanges): Promise<BackendRoom>;
  /**
   * Ends a room for everybody in it. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError CONFLICT: the room has ended before (`room_ended`)
   */
  end(roomId: string): Promise<BackendRoom>;
  /**
   * Lists the participants of a room, latest first. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @param query.identity only the participant with this identity: that in the token of a guest, or a wallet. Default: all
   * @param query.limit the number of participants, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of participants
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  participants(roomId: string, query?: BackendParticipantsQuery): Promise<Page<BackendParticipant>>;
  /**
   * Reads a participant. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @returns the participant
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   */
  participant(roomId: string, participantId: string): Promise<BackendParticipant>;
  /**
   * Changes a participant: a guest for as long as it uses the same token, a wallet until it leaves. What it may no longer send is closed at once. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @param changes the fields to change: `role`, `displayName` (1 to 64 characters), `metadata` (up to 4,096 bytes, or null) and, of a guest,
   * single `grants`. The others stay
   * @returns the participant
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds, or `grants` are given for a wallet (`guests_only`)
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), or the host would no longer be one
   * @example await client.rooms.updateParticipant(roomId, participant.id, { grants: { canPublish: ['microphone'] } });
   */
  updateParticipant(
    roomId: string,
    participantId: string,
    changes: ParticipantChanges,
  ): Promise<BackendParticipant>;
  /**
   * Removes a participant. A wallet can enter again after a new invitation, a guest with a new token. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @returns the participant as it was in the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   * @throws ParleyError CONFLICT: it is the host of the room
   */
  removeParticipant(roomId: string, participantId: string): Promise<BackendParticipant>;
  /**
   * Mutes the microphone and screen audio of a participant, which may unmute itself. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @returns the participant. Its `audio` may still be true for a moment
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the participant is not in it
   */
  muteParticipant(roomId: string, participantId: string): Promise<BackendParticipant>;
  /**
   * Moves a participant to another room of the account, such as a breakout. Its devices join that room by themselves, with a new participant
   * id. The room may be locked. Needs the scope rooms:write.
   * @param roomId the id of the room that the participant is in
   * @param participantId the id of the participant (`par_…`), which is new each time somebody enters
   * @param to the id of the other room
   * @returns the participant as it was in the room that it left
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account lacks one of the rooms, or the participant is not in the first
   * @throws ParleyError VALIDATION_ERROR: `to` is the same room, or no id of a room
   * @throws ParleyError ACCESS_DENIED: the other room has a gate, and this is a guest (`guest`)
   * @throws ParleyError CONFLICT: one of the rooms has ended (`room_ended`), or a guest with this identity is in the other one
   * @throws ParleyError ROOM_FULL: the other room has no place (`room_full`)
   * @example await client.rooms.moveParticipant(roomId, participant.id, room.id);
   */
  moveParticipant(roomId: string, participantId: string, to: string): Promise<BackendParticipant>;
  /**
   * Creates breakouts of a room and moves participants into them. They have the settings of the room, but are locked. They end with
   * endBreakouts(), at their time, or with the room, and everybody in them comes back. Needs the scope rooms:write.
   * @param roomId the id of the room, which is no breakout itself
   * @param breakouts.rooms 1 to 50 breakouts, each with `name` (1 to 100 characters) and `participantIds`, up to 1,000. Default: nobody
   * @param breakouts.durationSeconds after how many seconds they end, 1 to 86,400. Default: no time
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the new breakouts, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds, or a participant is named twice
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`), is a breakout, or would have more than 50; or the account would have
   * more than 10,000 rooms
   * @example await client.rooms.createBreakouts(roomId, { rooms: [{ name: 'One', participantIds: [participant.id] }] });
   */
  createBreakouts(
    roomId: string,
    breakouts: NewBackendBreakouts,
    options?: SpendOptions,
  ): Promise<Page<BackendRoom>>;
  /**
   * Lists the running breakouts of a room, oldest first. Needs the scope rooms:read.
   * @param roomId the id of the room, or of one of its breakouts
   * @returns all breakouts, as one page
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  breakouts(roomId: string): Promise<Page<BackendRoom>>;
  /**
   * Moves everybody in the breakouts of a room back into it, and ends them. Needs the scope rooms:write.
   * @param roomId the id of the room; or that of a breakout, to end only this one
   * @returns the room
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  endBreakouts(roomId: string): Promise<BackendRoom>;
  /**
   * Lists the last 500 messages in the chat of a room, latest first, also after its end. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @param query the page to read: `limit` (1 to 100) and `cursor`. Default: the latest 50
   * @returns one page of messages
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  messages(roomId: string, query?: PageQuery): Promise<Page<RoomMessage>>;
  /**
   * Writes a message in the chat of a room, as its host. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param message.content the text, 1 to 2,000 characters
   * @param message.displayName the name shown as that of the sender, 1 to 64 characters. Default: none
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the message
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   */
  sendMessage(roomId: string, message: NewRoomMessage, options?: SpendOptions): Promise<RoomMessage>;
  /**
   * Sends data to the participants of a room, who get `conference:data` with `from` null. The server keeps nothing: a participant who is away
   * gets nothing later. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @param topic what the data is about, in your own words: 1 to 64 characters
   * @param data bytes, or a JSON value nested up to 100 levels deep. At most 16,384 bytes; JSON is measured in UTF-8 without spaces
   * @param options.to the ids of the participants to send it to, 1 to 100; those who have left are passed over. Default: everybody
   * @param options.reliable false drops it for participants whose connection is congested. Default: true
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or none of the participants in `to` is in it
   * @throws ParleyError VALIDATION_ERROR: the data is too large or not JSON, or another parameter is out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer, so the data may have been sent or not
   * @throws ParleyError SERVICE_UNAVAILABLE: too many messages of the account to this room wait for the server's database
   * @example await client.rooms.sendData(roomId, 'slide', { number: 7 });
   */
  sendData(
    roomId: string,
    topic: string,
    data: Uint8Array | JsonValue,
    options?: SendDataOptions,
  ): Promise<void>;
  /**
   * Reads whether a room is being recorded, and its latest recording. Needs the scope rooms:read.
   * @param roomId the id of the room
   * @returns the state
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   */
  recording(roomId: string): Promise<RoomRecordingState>;
  /**
   * Starts recording a room. Everybody in it is notified. The recording belongs to the account. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @returns the state, with the recording
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError CONFLICT: the room is empty, it is being recorded already, or the account keeps too many recordings
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or has no space
   */
  startRecording(roomId: string): Promise<RoomRecordingState>;
  /**
   * Stops recording a room. Needs the scope rooms:write.
   * @param roomId the id of the room
   * @returns the state, with the recording, which is processed next
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError CONFLICT: the room is not being recorded
   */
  stopRecording(roomId: string): Promise<RoomRecordingState>;
  /**
   * Creates a participant token: its holder enters the room as a guest, with `new Parley({ participantToken })`. Used a second time, the
   * later device takes the place. Needs the scope tokens:create.
   * @param roomId the id of the room
   * @param token.identity who the guest is in your system: 1 to 64 letters, digits and `_ . @ + : -`
   * @param token.displayName the name shown to the others, 1 to 64 characters. Default: the identity
   * @param token.role `host`, `participant` or `viewer`. Default: `participant`
   * @param token.canPublish the sources that the guest may publish: `microphone`, `camera`, `screen`. Default: all; none for a viewer
   * @param token.canSubscribe whether the guest receives the media of the others. Default: true
   * @param token.canChat whether the guest may write in the chat. Default: true
   * @param token.canSendData whether the guest may send data. Default: true
   * @param token.metadata your own text about the guest, up to 4,096 bytes, which everybody in the room can read. Default: none
   * @param token.expiresInSeconds how long the token can be used to enter, 1 to 86,400 seconds. Default: 3,600
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the token, with its secret in `token`, which is not shown again
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @throws ParleyError CONFLICT: the room has ended (`room_ended`)
   * @example const { token } = await client.rooms.createToken(roomId, { identity: 'alice', displayName: 'Alice' });
   */
  createToken(roomId: string, token: NewRoomToken, options?: SpendOptions): Promise<CreatedToken>;
  /**
   * Lists the participant tokens of a room, latest first, without their secrets. They are kept for a week after they expire. Needs the scope
   * tokens:create.
   * @param roomId the id of the room
   * @param query the page to read: `limit` (1 to 100) and `cursor`. Default: the latest 50
   * @returns one page of tokens
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   */
  tokens(roomId: string, query?: PageQuery): Promise<Page<ParticipantToken>>;
  /**
   * Revokes a participant token, immediately and on every node. Its guest leaves the room. Needs the scope tokens:create.
   * @param roomId the id of the room
   * @param tokenId the id of the token (`ptk_…`)
   * @returns the revoked token
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such room, or the room has no such token
   */
  revokeToken(roomId: string, tokenId: string): Promise<ParticipantToken>;
}

/** Texts from the server's shared pool of numbers: `client.sms`. A recipient's replies go to the account that has texted them. */
export interface Sms {
  /**
   * Queues a text to be sent from the pool. The price is per segment: see segmentsOf(). Needs the scope sms:send.
   * @param text.to the recipient, in E.164
   * @param text.message the text, 1 to 1,600 characters
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the queued text, with its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the server sends no texts to this country (`unsupported_destination`), or the recipient has opted
   * out (`recipient_opted_out`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the pool has no number for this recipient (`no_pool_number`)
   * @example const { id } = await client.sms.send({ to: '+12025550100', message: 'Your table is ready.' });
   */
  send(text: NewText, options?: SpendOptions): Promise<QueuedText>;
  /**
   * Reads the price per segment of a text to a number, and whether the server sends texts to it. Needs the scope sms:send.
   * @param to the number, in E.164
   * @returns the price in credits
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: `to` is not a phone number in E.164
   */
  rate(to: string): Promise<TextRate>;
  /**
   * Lists received texts, latest first: replies to the pool, and texts to the account's numbers. Needs the scope numbers:read.
   * @param query the texts to list. Default: the latest 50
   * @returns one page of texts
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  inbox(query?: InboxQuery): Promise<Page<TextMessage>>;
  /**
   * Reads a text and its delivery status. Needs the scope numbers:read.
   * @param id the id of the text
   * @returns the text
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: there is no such text
   */
  get(id: string): Promise<TextMessage>;
}

/** The stream to create. */
export interface NewStream {
  /** 1 to 100 characters. */
  title: string;
  /** Up to 2,000 characters. @default '' */
  description?: string;
  /**
   * Whether the stream is listed, and open to everyone unless it has a gate. A private stream without a gate is open only to holders of a
   * viewer token. @default true
   */
  isPublic?: boolean;
  /** The condition a wallet must meet to watch. @default none */
  gate?: GateConfig;
  /** Whether to record the stream. Viewers can see this in the stream's `record`. @default false */
  record?: boolean;
}

/** Live streams: `client.streaming`. */
export interface Streaming {
  /**
   * Creates a stream with this wallet as its host. The stream goes live once it is published: by this client with start(), or by a program
   * such as OBS or ffmpeg with its `streamKey`.
   * @param stream the stream: its title of 1 to 100 characters, and who may watch it
   * @returns the stream, with its `streamKey`
   * @throws ParleyError VALIDATION_ERROR: a field is out of bounds, or the gate names an unknown chain, or a contract that does not support
   * the condition (`invalid_gate`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError CONFLICT: this wallet has 200 streams that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: the server cannot record, or a chain of the gate cannot be read
   * @example const stream = await client.streaming.create({ title: 'Friday', record: true });
   */
  create(stream: NewStream): Promise<LiveStream>;
  /**
   * Publishes the stream from this device, in place of the current publisher. Host only.
   * @param options the stream, and what to send. With `ownTracks`, it also sends what media.publish() is given. Default: camera and
   * microphone, in `1080p`
   * @throws ParleyError VALIDATION_ERROR: neither audio nor video nor `ownTracks`, or an unknown quality
   * @throws ParleyError PERMISSION_DENIED: microphone, camera or screen refused
   * @throws ParleyError NOT_FOUND: there is no such stream, camera or microphone
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or the camera or microphone is in use
   * @example await client.streaming.start({ streamId: stream.id, quality: '720p' });
   */
  start(options: StartStream): Promise<void>;
  /**
   * Ends the stream for all viewers, permanently. Host only.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  end(streamId: string): Promise<void>;
  /**
   * Watches a stream on this device. `media:track` delivers its video and audio as soon as they arrive.
   * @param streamId the id of the stream
   * @param options.displayName the name shown to the host, 1 to 64 characters. Default: none
   * @param options.token the viewer token of a private stream, from its host's getViewerToken()
   * @returns the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: the stream is private, and the token is missing or not valid (`token_needed`), this wallet is banned
   * (`banned`), the gate is on another network than the session (`other_network`), or the wallet does not pass it (`requirement_missing`:
   * then `extra` is the AccessResult)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or this device publishes it (`own_stream`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read
   * @example await client.streaming.watch(stream.id, { displayName: 'Ada' });
   */
  watch(streamId: string, options?: WatchStream): Promise<LiveStream>;
  /**
   * Stops watching a stream. Does nothing if this device does not watch it.
   * @param streamId the id of the stream
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  unwatch(streamId: string): Promise<void>;
  /**
   * Mutes the microphone immediately, in a stream that this device publishes.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  muteAudio(streamId: string): Promise<void>;
  /**
   * Unmutes the microphone, and opens it if necessary. No effect if it is muted again meanwhile.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream, or no microphone
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or the microphone is in use
   * @throws ParleyError PERMISSION_DENIED: the microphone was refused
   */
  unmuteAudio(streamId: string): Promise<void>;
  /**
   * Switches the camera off.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  muteVideo(streamId: string): Promise<void>;
  /**
   * Switches the camera on. No effect if it is switched off again while it opens.
   * @param streamId the id of the stream
   * @throws ParleyError NOT_FOUND: there is no such stream, or no camera
   * @throws ParleyError ACCESS_DENIED: this device does not publish the stream (`not_the_publisher`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`), or the camera is in use
   * @throws ParleyError PERMISSION_DENIED: the camera was refused
   */
  unmuteVideo(streamId: string): Promise<void>;
  /**
   * Publishes a screen, window or tab that the user chooses, in addition to the camera. Only for the device that publishes the stream.
   * @param streamId the id of the stream
   * @param options.audio false shares the screen without its audio. Default: true, if the browser supports it
   * @throws ParleyError PERMISSION_DENIED: refused or not supported
   * @throws ParleyError ACCESS_DENIED: this device watches the stream, or another device or program has taken over publishing
   * (`not_the_publisher`)
   * @throws ParleyError CONFLICT: this device has no media in the stream, or left it while the user was choosing
   */
  startScreenShare(streamId: string, options?: { audio?: boolean }): Promise<void>;
  /**
   * Stops sharing the screen.
   * @param streamId the id of the stream
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  stopScreenShare(streamId: string): Promise<void>;
  /**
   * Reads a stream by its id. `streamKey` is empty for all wallets except the host.
   * @param streamId the id of the stream
   * @returns the stream
   * @throws ParleyError NOT_FOUND: there is no such stream
   */
  get(streamId: string): Promise<LiveStream>;
  /**
   * Lists streams, newest first.
   * @param query.host the wallet whose streams to list (only its public ones, if it is another wallet); null for all public live streams.
   * Default: this wallet
   * @param query.status only streams with this status; ignored if `host` is null. Default: `idle` and `live`
   * @param query.limit 1 to 100. Default: 50
   * @param query.offset streams to skip, 0 to 100,000. Default: 0
   * @returns the streams
   * @throws ParleyError INVALID_ADDRESS: `host` is not a wallet address
   */
  list(query?: StreamsQuery): Promise<LiveStream[]>;
  /**
   * Replaces the stream key. A publisher that uses the old key is disconnected, and viewer tokens that the host has shared become invalid.
   * Host only.
   * @param streamId the id of the stream
   * @returns the stream with its new `streamKey`
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  resetKey(streamId: string): Promise<LiveStream>;
  /**
   * Lists the viewers, earliest first. Host only.
   * @param streamId the id of the stream
   * @param query.limit 1 to 100. Default: 50
   * @param query.offset viewers to skip, 0 to 100,000. Default: 0
   * @returns the viewers
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   */
  getViewers(streamId: string, query?: { limit?: number; offset?: number }): Promise<Viewer[]>;
  /**
   * Creates a token for players that are not signed in. WHEP and HLS accept it as `?token=` or as a bearer token. A viewer gets a personal
   * token, with which playback must start within an hour. The host of a private stream without a gate gets a token to share: anyone may use
   * it for a day, or until resetKey().
   * @param streamId the id of the stream
   * @returns the token, and when it expires
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this wallet may not watch (`token_needed`, `banned`, `other_network` or `requirement_missing`, as
   * for watch())
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain cannot be read
   */
  getViewerToken(streamId: string): Promise<{ token: string; expiresAt: Date }>;
  /**
   * Sends a chat message to the host and all viewers. Only for the host and viewers. If the answer is lost, it is sent again for up to 20
   * seconds, and stored once.
   * @param streamId the id of the stream
   * @param content 1 to 500 characters
   * @returns the message as the server stored it
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this wallet is not watching (`not_watching`), or is banned (`banned`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  sendChat(streamId: string, content: string): Promise<StreamChatMessage>;
  /**
   * Reads the stream's chat, oldest first. The server keeps the last 500 messages until the stream ends. Only for the host and viewers.
   * @param streamId the id of the stream
   * @param query.limit the number of messages, 1 to 100. Default: 50
   * @param query.before the id of a message: reads the messages before it. Default: the latest messages
   * @returns the messages
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: this wallet is not watching (`not_watching`), or is banned (`banned`)
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  getChat(streamId: string, query?: { limit?: number; before?: string }): Promise<StreamChatMessage[]>;
  /**
   * Deletes a chat message. Only for its sender and the host.
   * @param streamId the id of the stream
   * @param messageId the id of the message
   * @throws ParleyError NOT_FOUND: there is no such stream or message
   * @throws ParleyError ACCESS_DENIED: another wallet sent the message, and this wallet is not the host (`not_yours`)
   */
  deleteChat(streamId: string, messageId: string): Promise<void>;
  /**
   * Bans a wallet from the stream and its chat, or lifts the ban. Host only.
   * @param streamId the id of the stream
   * @param walletAddress the address of the wallet
   * @param banned false lifts the ban. Default: true
   * @throws ParleyError NOT_FOUND: there is no such stream
   * @throws ParleyError ACCESS_DENIED: only the host of the stream may do this (`not_the_host`)
   * @throws ParleyError CONFLICT: the host cannot be banned, or the stream has 10,000 bans
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  ban(streamId: string, walletAddress: string, banned?: boolean): Promise<void>;
}

/** Selects streams. */
export interface StreamsQuery {
  /** The wallet whose streams to list; null for all public live streams. @default this wallet */
  host?: string | null;
  /** Only streams with this status; ignored if `host` is null. @default `idle` and `live` */
  status?: StreamStatus;
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Streams to skip, 0 to 100,000. @default 0 */
  offset?: number;
}

/**
 * The streams of the account, for backends with an API key: `client.streams`. The account is the host of the streams it creates; streams of
 * other accounts do not exist for it. Apps and guests publish and watch streams with `client.streaming`.
 */
export interface Streams {
  /**
   * Creates a stream, whose host is the account. Publish it by WHIP or RTMP with its `streamKey`, or as a guest whose participant token has
   * the role `host`. Needs the scope streams:write.
   * @param stream.title the title, 1 to 100 characters
   * @param stream.description the description, up to 2,000 characters. Default: ''
   * @param stream.isPublic true: listed and open to all. false: open only with a viewer token or participant token. Default: true
   * @param stream.gate the condition that wallets must meet to watch. Default: null, none. Guests never meet one
   * @param stream.record whether to record the stream from the first time it is live. Default: false
   * @param stream.network the network on whose chains the gate is checked. Default: that of the session; 'mainnet' for an API key
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the stream with its `streamKey`, which only this method and resetKey() return
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds, or a condition of the gate cannot be checked
   * @throws ParleyError CONFLICT: the account has 10,000 streams that have not ended
   * @throws ParleyError SERVICE_UNAVAILABLE: a chain of the gate cannot be read, or `record` is true and the server cannot record
   * @example const { id, rtmpUrl, streamKey } = await client.streams.create({ title: 'Launch', isPublic: false });
   */
  create(stream: NewBackendStream, options?: SpendOptions): Promise<BackendStreamWithKey>;
  /**
   * Lists the streams of the account, latest first, including those that its wallet has created in an app. Needs the scope streams:read.
   * @param query.status only streams with this status: `idle`, `live` or `ended`. Default: all
   * @param query.limit the number of streams, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of streams
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   */
  list(query?: BackendStreamsQuery): Promise<Page<BackendStream>>;
  /**
   * Reads a stream. Needs the scope streams:read.
   * @param streamId the id of the stream
   * @returns the stream, without its key
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  get(streamId: string): Promise<BackendStream>;
  /**
   * Changes a stream. Viewers get `stream:updated`, and those who watch already go on if the stream becomes private. Needs the scope
   * streams:write.
   * @param streamId the id of the stream
   * @param changes.title the title, 1 to 100 characters. Default: unchanged
   * @param changes.description the description, up to 2,000 characters. Default: unchanged
   * @param changes.isPublic whether the stream is listed and open to all. Default: unchanged
   * @param changes.record whether to record the stream from the next time it is live, unless it was recorded before. Default: unchanged
   * @returns the stream
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: a field is unknown or out of bounds
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError SERVICE_UNAVAILABLE: `record` is true and the server cannot record
   */
  update(streamId: string, changes: BackendStreamChanges): Promise<BackendStream>;
  /**
   * Ends a stream for everybody, permanently. A stream that has ended stays as it is. Needs the scope streams:write.
   * @param streamId the id of the stream
   * @returns the stream
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  end(streamId: string): Promise<BackendStream>;
  /**
   * Replaces the stream key. A publisher that uses the old one is disconnected, and viewer tokens for anybody become void. Needs the scope
   * streams:write.
   * @param streamId the id of the stream
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the stream with its new `streamKey`
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   */
  resetKey(streamId: string, options?: SpendOptions): Promise<BackendStreamWithKey>;
  /**
   * Lists the viewers of a stream, latest first. Needs the scope streams:read.
   * @param streamId the id of the stream
   * @param query.limit the number of viewers, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of viewers
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  viewers(streamId: string, query?: PageQuery): Promise<Page<BackendViewer>>;
  /**
   * Bans a wallet or guest from a stream and its chat, and removes it at once. Needs the scope streams:write.
   * @param streamId the id of the stream
   * @param viewer.walletAddress the wallet. Either this or `identity`
   * @param viewer.identity the identity in the participant tokens of a guest
   * @returns whom the ban is for
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the host cannot be banned
   * @throws ParleyError VALIDATION_ERROR: neither or both are given
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  ban(streamId: string, viewer: BannedViewer): Promise<ViewerBan>;
  /**
   * Lifts a ban. Needs the scope streams:write.
   * @param streamId the id of the stream
   * @param viewer.walletAddress the wallet. Either this or `identity`
   * @param viewer.identity the identity in the participant tokens of a guest
   * @returns whom the ban was for
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError VALIDATION_ERROR: neither or both are given
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  unban(streamId: string, viewer: BannedViewer): Promise<ViewerBan>;
  /**
   * Creates a viewer token for players without a session: WHEP and HLS accept it as `?token=` or as a bearer token. It also lets wallets
   * watch a private stream with `client.streaming.watch()`. Needs the scope tokens:create.
   * @param streamId the id of the stream
   * @param token.walletAddress the wallet that watches with the token, which must meet the stream's gate. Default: anybody who has the token
   * @returns the token, and until when playback must begin
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError VALIDATION_ERROR: the stream has a gate and no wallet is given
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   */
  createViewerToken(streamId: string, token?: NewViewerToken): Promise<ViewerToken>;
  /**
   * Creates a participant token, with which a guest watches or publishes the stream: `new Parley({ participantToken: token })`. Needs the
   * scope tokens:create.
   * @param streamId the id of the stream
   * @param token.identity the identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`
   * @param token.displayName the name shown to others, 1 to 64 characters. Default: the identity
   * @param token.role `viewer`, or `host`, which may publish and end the stream and ban viewers. Default: 'viewer'
   * @param token.canChat whether the guest may write in the chat. Default: true
   * @param token.metadata your own text about the guest, up to 4,096 bytes. Default: none
   * @param token.expiresInSeconds how long the token can be used to enter, 1 to 86,400. Default: 3,600
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the token; its secret in `token` is not shown again
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   * @throws ParleyError CONFLICT: the stream has ended (`stream_ended`)
   * @throws ParleyError VALIDATION_ERROR: a field is missing, unknown or out of bounds
   * @example const { token } = await client.streams.createToken('str_4fT9qLx2VbN7cRk0HsWdJyAe', { identity: 'bob' });
   */
  createToken(streamId: string, token: NewStreamToken, options?: SpendOptions): Promise<CreatedToken>;
  /**
   * Lists the participant tokens of a stream, latest first, without their secrets. They are kept for a week after they expire. Needs the
   * scope tokens:create.
   * @param streamId the id of the stream
   * @param query.limit the number of tokens, 1 to 100. Default: 50
   * @param query.cursor the `nextCursor` of the page before. Default: the first page
   * @returns one page of tokens
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream
   */
  tokens(streamId: string, query?: PageQuery): Promise<Page<ParticipantToken>>;
  /**
   * Revokes a participant token. Its guest leaves the stream at once, on every node. Needs the scope tokens:create.
   * @param streamId the id of the stream
   * @param tokenId the id of the token
   * @returns the token
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such stream, or the stream no such token
   */
  revokeToken(streamId: string, tokenId: string): Promise<ParticipantToken>;
}

/** Codes with which users prove that a phone number is theirs: `client.verifications`. All methods need the scope verifications:start. */
export interface Verifications {
  /**
   * Sends a code to a phone number. The code is valid for ten minutes and five attempts. It replaces an earlier code.
   * @param verification.to the number, in E.164
   * @param verification.channel `sms` or `call`. Default: 'sms'
   * @param verification.locale the language of the text, for example `en` or `pt-BR`. Default: English
   * @param verification.codeLength the number of digits, 4 to 8. Default: 6
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the verification, with its `id` and its cost
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the server cannot make calls or sends no texts to this country (`unsupported_destination`), or
   * the recipient has opted out (`recipient_opted_out`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many codes were sent to this number in ten minutes (`too_many_verifications`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no verifications, or the pool has no number (`no_pool_number`)
   */
  start(verification: NewVerification, options?: SpendOptions): Promise<StartedVerification>;
  /**
   * Checks a code. A correct code is accepted once.
   * @param guess the entered `code`, and either the verification's `id` or the phone number (`to`)
   * @returns whether the code was correct (`valid`), and how many attempts are left
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the verification is unknown, used or expired
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many wrong codes, for this verification or for the number today (`too_many_verifications`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no verifications
   */
  check(guess: VerificationGuess): Promise<CheckedVerification>;
}

/** The voicemail to leave. */
export interface RecordVoicemail extends Pick<UploadOptions, 'onProgress' | 'signal'> {
  /** The recipient's wallet address. */
  to: Address | (string & {});
  /** The maximum length of the recording in seconds, 1 to 300. @default 120 */
  maxDuration?: number;
  /** A recording to send. @default none: the microphone is recorded */
  file?: UploadFile;
  /**
   * Called when the recording starts, with the microphone's stream: for a timer or a level meter. There is no stream if a recorder of
   * `platform.createRecorder` has none.
   */
  onStart?: (stream: MediaStream) => void;
}

/** Selects voicemails. */
export interface VoicemailQuery {
  /** 1 to 100. @default 50 */
  limit?: number;
  /** Voicemails to skip, 0 to 100,000. @default 0 */
  offset?: number;
  /** Whether to list only unread voicemails. @default false */
  unreadOnly?: boolean;
}

/** Voicemails: `client.voicemail`. */
export interface Voicemails {
  /**
   * Records the microphone until stop() is called or `maxDuration` is reached, and leaves the recording as a voicemail for a wallet.
   * @param options.onProgress called during the upload, with bytes
   * @param options.signal aborts the recording and the upload
   * @returns the voicemail, once the server has stored it. Its `audioUrl` is empty, because only the recipient may listen to it
   * @throws ParleyError PERMISSION_DENIED: microphone refused, or recording not supported. Only without `file`, like NOT_FOUND
   * @throws ParleyError NOT_FOUND: no microphone
   * @throws ParleyError INVALID_ADDRESS: the address is not a wallet address
   * @throws ParleyError VALIDATION_ERROR: longer than `maxDuration`, not audio, `file` over 25 MB (`payload_too_large`), or to this wallet
   * itself
   * @throws ParleyError CONFLICT: this client is already recording or was closed, the microphone is in use, the recipient's mailbox is
   * full, or the storage quota of the wallet or server is used up
   * @throws ParleyError RATE_LIMIT_EXCEEDED: too many requests. Try again after `retryAfter` seconds
   * @throws ParleyError SERVICE_UNAVAILABLE: the server stores no files. Aborted by `signal`, the promise rejects with the reason of the
   * signal
   * @example const voicemail = await client.voicemail.record({ to: '0x…', maxDuration: 60 });
   */
  record(options: RecordVoicemail): Promise<Voicemail>;
  /**
   * Stops the current recording, if there is one. record() then sends it. Never rejects.
   */
  stop(): Promise<void>;
  /**
   * Lists this wallet's voicemails, latest first.
   * @param query the voicemails to list. Default: the latest 50
   * @returns the voicemails
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  getAll(query?: VoicemailQuery): Promise<Voicemail[]>;
  /**
   * Reads a voicemail, with a new `audioUrl` that is valid for about an hour.
   * @param voicemailId the id of the voicemail
   * @returns the voicemail
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   */
  get(voicemailId: string): Promise<Voicemail>;
  /**
   * Marks a voicemail as read.
   * @param voicemailId the id of the voicemail
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   */
  markAsRead(voicemailId: string): Promise<void>;
  /**
   * Deletes a voicemail and its recording, permanently.
   * @param voicemailId the id of the voicemail
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   */
  delete(voicemailId: string): Promise<void>;
  /**
   * Transcribes a voicemail, which may take up to two minutes. Afterwards the voicemail's `transcription` contains the text too.
   * @param voicemailId the id of the voicemail
   * @returns the text, with the time of each segment
   * @throws ParleyError NOT_FOUND: there is no such voicemail
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no transcription service, or the service does not answer
   */
  transcribe(voicemailId: string): Promise<Transcription>;
}

/**
 * The webhook endpoints of the account, which get the events of all its rooms, streams, recordings, calls, texts and numbers:
 * `client.webhooks`. All methods need the scope webhooks:write.
 */
export interface Webhooks {
  /**
   * Creates an endpoint. Store its secret, which is not shown again: verifyWebhook() needs it.
   * @param endpoint.url the address to post events to: public and https, up to 2,048 characters
   * @param endpoint.events the types of events to post, 1 to 50. Default: all
   * @param endpoint.description what the endpoint is for, up to 200 characters. Default: empty
   * @returns the endpoint with its secret
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the URL is not valid (`invalid_url`) or not a public https address (`url_not_allowed`)
   * @throws ParleyError CONFLICT: the account has 20 endpoints already
   * @example const { id, secret } = await client.webhooks.create({ url: 'https://example.org/hook', events: ['room.ended'] });
   */
  create(endpoint: NewEndpoint): Promise<WebhookEndpoint>;
  /**
   * Lists the endpoints of the account, latest first.
   * @param query the page to read. Default: the first 50
   * @returns one page of endpoints, without their secrets
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   */
  list(query?: PageQuery): Promise<Page<WebhookEndpoint>>;
  /**
   * Reads an endpoint, without its secret.
   * @param endpointId the id of the endpoint
   * @returns the endpoint
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   */
  get(endpointId: string): Promise<WebhookEndpoint>;
  /**
   * Changes an endpoint. What is left out stays as it is.
   * @param endpointId the id of the endpoint
   * @param change.url the address to post events to: public and https, up to 2,048 characters. Default: unchanged
   * @param change.events the types of events to post, 1 to 50. Default: unchanged
   * @param change.description what the endpoint is for, up to 200 characters. Default: unchanged
   * @param change.rotateSecret creates a new secret, which the result contains. For another day, the previous one signs too. Default: false
   * @param change.disabled true gives up the queued deliveries and queues none; false enables the endpoint again. Default: unchanged
   * @returns the endpoint
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   * @throws ParleyError VALIDATION_ERROR: the URL is not valid (`invalid_url`) or not a public https address (`url_not_allowed`)
   */
  update(endpointId: string, change: EndpointChange): Promise<WebhookEndpoint>;
  /**
   * Removes an endpoint, and gives up its queued deliveries.
   * @param endpointId the id of the endpoint
   * @returns the id of the removed endpoint
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   */
  remove(endpointId: string): Promise<{ id: string }>;
  /**
   * Sends a test event to an endpoint. Read the outcome with deliveries().
   * @param endpointId the id of the endpoint
   * @returns the delivery of the test event
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   * @throws ParleyError CONFLICT: the endpoint is disabled
   */
  test(endpointId: string): Promise<EndpointDelivery>;
  /**
   * Lists the deliveries to an endpoint, latest first. They are kept for 30 days.
   * @param endpointId the id of the endpoint
   * @param query the deliveries to list. Default: the latest 50
   * @returns one page of deliveries
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such endpoint
   */
  deliveries(endpointId: string, query?: EndpointDeliveryQuery): Promise<Page<EndpointDelivery>>;
  /**
   * Sends the event of a delivery to its endpoint again, with the same webhook-id. It does not wait for other events of the same subject.
   * @param deliveryId the id of the delivery
   * @returns the new delivery
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError NOT_FOUND: the account has no such delivery, or the endpoint was removed
   * @throws ParleyError CONFLICT: the endpoint is disabled
   */
  replay(deliveryId: string): Promise<EndpointDelivery>;
  /**
   * Reads the events of the account. They are kept for 30 days, from when the account has got its first endpoint. No event is
   * missing between two pages, and the events of a room, stream or call are in the order of their `sequence`.
   * @param query.after the id of the last event that you know, or the `nextAfter` of the previous page. Default: from the first one
   * @param query.order `oldest` first, or `latest` first, where `after` continues with older ones. Default: `oldest`
   * @param query.type only events of this type. Default: all
   * @param query.subjectId only the events of this room, stream or call. Default: all
   * @param query.limit events per page, 1 to 100. Default: 50
   * @returns one page of events
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: the event in `after` is unknown or older than 30 days (`event_not_kept`)
   * @example
   * let after: string | undefined;
   * for (;;) {
   *   const page = await client.webhooks.events(after === undefined ? {} : { after });
   *   for (const event of page.data) console.log(event.type, event.sequence);
   *   after = page.nextAfter ?? undefined;
   *   if (!page.hasMore) break;
   * }
   */
  events(query?: AccountEventQuery): Promise<AccountEventPage>;
}

/** Accounts on the operator's XMPP server: `client.xmpp`. */
export interface Xmpp {
  /**
   * Creates an XMPP account. Store its password, which is not shown again. Needs the scope numbers:buy.
   * @param account.username 3 to 32 characters: a-z, 0-9, dot, underscore and hyphen. Default: a generated name
   * @param account.numberId the id of the phone number from which this XMPP account sends texts. Default: none
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the account with its password
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: `username` has another form, or the account does not own the number `numberId`
   * @throws ParleyError CONFLICT: the name is taken (`username_taken`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no XMPP, or the XMPP server does not answer (`upstream_error`)
   */
  provision(account?: NewXmppAccount, options?: SpendOptions): Promise<XmppAccount>;
}

/** The camera and microphone of a call that is answered or continued. */
export interface CameraOptions {
  /** The microphone to use; false opens none: see unmute() and media.publish(). @default true */
  audio?: boolean | AudioConfig;
  /** The camera to use; false leaves it off. @default true in a video call, if there is a camera */
  video?: boolean | VideoConfig;
}

/** The call to start. */
export interface StartCall {
  /** The callee's wallet address. */
  to: Address | (string & {});
  type: CallType;
  /** The camera to use. @default the chosen or default camera */
  video?: VideoConfig;
  /** The microphone to use; false opens none: see unmute() and media.publish(). @default the chosen or default microphone */
  audio?: boolean | AudioConfig;
}

/** What this device sends to a room. */
export interface JoinOptions {
  /** The camera to use; false leaves it off. Its `codec` defaults to that of the room. @default true, if there is a camera */
  video?: boolean | VideoConfig;
  /** The microphone to use; false sends none. @default true, if there is a microphone */
  audio?: boolean | AudioConfig;
  /** The name shown to the other participants, 1 to 64 characters. @default none: the participant's `displayName` is null */
  displayName?: string;
}

/** The room to join, and what this device sends to it. */
export interface JoinRoom extends JoinOptions {
  roomId: string;
}

/** What the host sends. */
export interface StartStream {
  streamId: string;
  /** The camera to use; `screen` to send a screen, window or tab that the user chooses; false to send no video. @default true */
  video?: boolean | VideoConfig | 'screen';
  /** The microphone to use; false sends none. @default true */
  audio?: boolean | AudioConfig;
  /** Whether the app sends tracks of its own, with media.publish(): then audio and video may both be false. @default false */
  ownTracks?: boolean;
  /** Size and bitrate at 30 frames per second: 2.5 (`720p`), 4.5 (`1080p`) or 13 Mbit/s (`4k`). @default '1080p' */
  quality?: StreamQuality;
}

/** How to watch a stream. */
export interface WatchStream {
  /** The name shown to the host, 1 to 64 characters. */
  displayName?: string;
  /** The viewer token of a private stream, from its host's getViewerToken(). */
  token?: string;
}

/** The room to create. */
export interface NewRoom {
  /** 1 to 100 characters. */
  name: string;
  /** The maximum number of participants at a time, 2 to 1,000. */
  maxParticipants: number;
  /** Whether participants may send video. @default true */
  video?: boolean;
  /** Whether participants may send audio. @default true */
  audio?: boolean;
  /**
   * The settings of the room. @default `allowScreenShare` and `allowChat` on, all other switches off, `codec` 'vp8', `emptyTimeout` 300,
   * `maxDuration` null
   */
  settings?: Partial<RoomSettings>;
  /**
   * When the room is to start, at most a year ahead. Until then, the room does not end because nobody is in it; nor for a day after, unless
   * somebody was in it since: then `emptyTimeout` counts. Anyone may join earlier; `maxDuration` and `record` begin with the first join.
   * @default none: a room that nobody joins ends after a day
   */
  startsAt?: Date;
}

/** A call as this device sees it: see calls.state(). */
export interface CallState extends MediaState {
  /** `unknown`: this client does not know the call. `over`: it has ended, or this device has declined it or hung up. */
  phase: 'unknown' | 'ringing' | 'active' | 'over';
  /** The call as last reported. */
  call: Call | null;
  /** Whether this device is in the call. It may be active on another device of this wallet. */
  isHere: boolean;
  /** The other party, once its media is there. */
  remote: Participant | null;
  /** Whether the other party has lost its connection. */
  isAway: boolean;
  /** Whether this device sends no sound. */
  isMuted: boolean;
  /** Whether this device sends its camera. */
  isCameraOn: boolean;
  isRecording: boolean;
  /** The network quality of this device and of the other party; null until it is reported. */
  quality: { own: Quality | null; remote: Quality | null };
}

/**
 * Why this device is not in a room: it left, the room has `ended`, the device was `moved` to another room, another device of the wallet has
 * `replaced` it, the join failed (`refused`) or a host did not admit it (`denied`), the client was `closed`, or a RemovalReason.
 */
export type LeaveReason =
  | 'left'
  | 'ended'
  | 'moved'
  | 'replaced'
  | 'refused'
  | 'denied'
  | 'closed'
  | RemovalReason;

/** The media of this device, in a new object whenever its tracks change. */
export interface LocalMedia {
  /** Camera and microphone. */
  stream: MediaStream | null;
  /** The shared screen and its audio. */
  screen: MediaStream | null;
}

/** What calls and rooms have in common. */
export interface MediaState {
  /** The media of this device, in a new object whenever its tracks change. */
  local: LocalMedia;
  /** The tracks of the others, oldest first. */
  tracks: MediaTrack[];
  /** What disturbs the media; null if it is fine. */
  trouble: Trouble | null;
  /** Whether this device has lost the connection. The client connects again by itself. */
  isReconnecting: boolean;
  /** Whether the browser blocks the sound of media.play() until the user clicks. */
  isPlaybackBlocked: boolean;
  /** Why media has failed for good; null if it has not. */
  mediaError: Error | null;
}

/** The network quality of a participant's media in each direction: from 0 (nothing arrives) to 10, or null without media. */
export interface Quality {
  sending: number | null;
  receiving: number | null;
}

/** A room as this device sees it: see conference.state(). */
export interface RoomState extends MediaState {
  /** `waiting`: in the waiting room. `left`: not in the room, also before the first join. */
  phase: 'joining' | 'waiting' | 'joined' | 'left';
  /** Why this device has left; null before the first join, and otherwise. */
  reason: LeaveReason | null;
  /** Why the join has failed; null otherwise. */
  error: Error | null;
  /** The requirements of the gate that this wallet does not meet, if that is why the join has failed or the room was lost; null otherwise. */
  access: AccessResult | null;
  /** The room as last reported, except for its `participants`, which are below. null before the first join. */
  room: ConferenceRoom | null;
  /** The participants, including this one, in the order in which they joined. */
  participants: Participant[];
  /** This participant. */
  own: Participant | null;
  /** Who speaks, the loudest first. */
  speakers: { participantId: string; level: number }[];
  /** The network quality by participant id, as far as it was reported. */
  quality: ReadonlyMap<string, Quality>;
  isRecording: boolean;
  /** For hosts: who is in the waiting room, once somebody subscribes to the state. */
  waiters: RoomWaiter[];
  /** The room to which this device was moved, with the reason `moved`. */
  movedTo: ConferenceRoom | null;
}

/** What disturbs a call or room. */
export type Trouble =
  | 'reconnecting'
  /** The other party of a call has lost the connection. */
  | 'other-away'
  /** The network of this device is too slow. */
  | 'own-network'
  /** The network of the other party of a call is too slow. */
  | 'other-network';

/** What a test looked at. */
export type MediaTestCheck =
  | 'secure-context'
  | 'microphone'
  | 'camera'
  | 'websocket'
  | 'udp'
  | 'tcp'
  | 'turn'
  | 'connection';

/** What a test found, with what to change. */
export interface MediaTestFinding {
  check: MediaTestCheck;
  level: 'ok' | 'warning' | 'error';
  /** One or two sentences in English, for the user or a support person. */
  message: string;
  /** The URL of the TURN server, for `turn`. */
  url?: string;
}

/** The figures of a video that this device sent to itself through the server. */
export interface MediaTestFigures {
  /** How the media reached the server. */
  path: MediaPath | null;
  /** Kilobits per second that arrived at the server; at most about 2,500 are tried. */
  uploadKbit: number;
  /** Kilobits per second that came back. */
  downloadKbit: number;
  /** Milliseconds to the server and back; null if the browser does not tell. */
  roundTripMs: number | null;
  /** The share of packets lost on the way to the server and back, 0 to 1. */
  lost: number;
}

/** The report of client.media.test(). */
export interface MediaTestReport {
  startedAt: Date;
  /** All findings, in the order in which they were made. */
  findings: MediaTestFinding[];
  /** The worst level of all findings. */
  level: 'error' | 'ok' | 'warning';
  /** Null if no media reached the server. */
  figures: MediaTestFigures | null;
  /** Everything as text, to send to a support person. It has no name, address of a wallet or IP address of the user. */
  text: string;
}

/** Options of client.media.test(). */
export interface MediaTestOptions {
  /** Whether to open the microphone and camera for a moment, for which the browser may ask the user. @default true */
  devices?: boolean;
  /** Called with each check that starts, before its finding. */
  onStart?: (check: MediaTestCheck) => void;
  /** Called with each finding. */
  onFinding?: (finding: MediaTestFinding) => void;
  /** Ends the test. */
  signal?: AbortSignal;
}

/**
 * The identity of a wallet in calls, messages and everything it owns. An ordinary wallet has the same owner on every chain, so its
 * EIP-55 address is enough. The address of a contract wallet may belong to different people on different chains, so a contract wallet
 * is named by chain and address: its CAIP-10 id, `eip155:<chain id>:<EIP-55 address>`.
 */
export type Address = EvmAddress | `eip155:${number}:${EvmAddress}`;

/** An address on an EVM chain. */
export type EvmAddress = `0x${string}`;

export interface Grants {
  /** The sources that the guest may publish. The audio of a screen needs `screen`. */
  canPublish: Publishable[];
  /** Whether the guest receives the media of the others. */
  canSubscribe: boolean;
  /** Whether the guest may write in the chat. */
  canChat: boolean;
  /** Whether the guest may send data. */
  canSendData: boolean;
}

/** What a guest may publish. */
export type Publishable = 'camera' | 'microphone' | 'screen';

/** The host of the rooms and streams that an account without a wallet has created: `account:` and its id. */
export type AccountHost = `account:${string}`;

/** The identity of a guest in a room or stream: `guest:` and the identity in the participant token. */
export type GuestId = `guest:${string}`;

/** The identity of a party in rooms and streams: a wallet, a guest, or the account that is the host. */
export type PartyId = Address | GuestId | AccountHost;

/** A reason as received. A newer server may send reasons that this version does not know. */
export type AnyReason = Reason | (string & Record<never, never>);

/** The code of an error, on which programs switch. */
export type ErrorCode =
  | 'ACCESS_DENIED'
  | 'AUTHENTICATION_REQUIRED'
  | 'CONFLICT'
  | 'INSUFFICIENT_BALANCE'
  | 'INTERNAL'
  | 'INVALID_ADDRESS'
  | 'MISSING_SCOPE'
  | 'NETWORK_ERROR'
  | 'NOT_FOUND'
  | 'PERMISSION_DENIED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'ROOM_FULL'
  | 'SERVICE_UNAVAILABLE'
  | 'VALIDATION_ERROR';

/** One invalid field: its path (`to`, `video.width`), the code of the rule it breaks, and a message for people. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

/** Why a request failed: more specific than the error code. */
export type Reason =
  | 'access_denied'
  | 'account_blocked'
  | 'ambiguous_credentials'
  | 'api_key_expired'
  | 'api_key_revoked'
  | 'audio_off'
  | 'away'
  | 'banned'
  | 'blocked_by_page'
  | 'call_over'
  | 'chat_off'
  | 'codec_off'
  | 'conflict'
  | 'denied'
  | 'event_not_kept'
  | 'from_required'
  | 'guest'
  | 'headers_too_large'
  | 'idempotency_in_progress'
  | 'idempotency_key_reused'
  | 'insufficient_credits'
  | 'internal_error'
  | 'invalid_api_key'
  | 'invalid_gate'
  | 'invalid_json'
  | 'invalid_request'
  | 'invalid_secret'
  | 'invalid_signature'
  | 'invalid_token'
  | 'invalid_url'
  | 'left'
  | 'media_node_unreachable'
  | 'membership_over'
  | 'method_not_allowed'
  | 'misdirected_request'
  | 'missing_credentials'
  | 'missing_scope'
  | 'missing_signature'
  | 'moved'
  | 'network_error'
  | 'no_contract'
  | 'no_pool_number'
  | 'no_such_part'
  | 'no_webrtc'
  | 'not_a_host'
  | 'not_acceptable'
  | 'not_found'
  | 'not_granted'
  | 'not_the_host'
  | 'not_the_publisher'
  | 'not_watching'
  | 'not_yours'
  | 'number_not_active'
  | 'number_released'
  | 'number_unavailable'
  | 'origin_refused'
  | 'other_network'
  | 'other_room'
  | 'out_of_stock'
  | 'own_stream'
  | 'payload_too_large'
  | 'payment_failed'
  | 'payment_required'
  | 'permission_denied'
  | 'precondition_failed'
  | 'precondition_required'
  | 'proxy_error'
  | 'quota_exceeded'
  | 'rate_limit_exceeded'
  | 'recipient_opted_out'
  | 'regulatory_requirements'
  | 'removed'
  | 'replaced'
  | 'request_timeout'
  | 'requirement_missing'
  | 'room_ended'
  | 'room_full'
  | 'room_locked'
  | 'screen_share_off'
  | 'service_unavailable'
  | 'session_required'
  | 'stale_epoch'
  | 'still_processing'
  | 'stream_ended'
  | 'timestamp_out_of_range'
  | 'token_expired'
  | 'token_needed'
  | 'token_revoked'
  | 'token_void'
  | 'too_many_verifications'
  | 'unknown_chain'
  | 'unsupported_country'
  | 'unsupported_destination'
  | 'unsupported_media_type'
  | 'upstream_error'
  | 'url_not_allowed'
  | 'use_us_route'
  | 'username_taken'
  | 'validation_failed'
  | 'video_off'
  | 'viewer';

/** The state of a call. */
export type CallStatus = 'active' | 'declined' | 'ended' | 'missed' | 'ringing';

/** Whether a call starts with video. */
export type CallType = 'audio' | 'video';

/**
 * What happens to this wallet when it joins the room: it enters, waits until a host admits it (`wait`), or is refused, because the room is
 * locked or full, or because a host has removed the wallet. The gate is checked as well.
 */
export type RoomEntry = 'enter' | 'full' | 'locked' | 'removed' | 'wait';

/** The state of a room: `waiting` before the first join, `active`, then `ended`. */
export type RoomStatus = 'active' | 'ended' | 'waiting';

/** A `host` manages the room, a `viewer` only receives media. */
export type ParticipantRole = 'host' | 'participant' | 'viewer';

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** Why a participant was moved: by a host or backend (`host`), or because the breakout has ended (`ended`). */
export type MoveReason = 'ended' | 'host';

/** The kind of condition of a gate: a token of a collection, a balance, a vote or membership, or several conditions. */
export type GateType = 'dao' | 'multi' | 'nft' | 'token';

/** A permission of an API key. */
export type KeyScope =
  | 'account:read'
  | 'calls:read'
  | 'calls:write'
  | 'esim:order'
  | 'leaksearch:search'
  | 'lookup:read'
  | 'numbers:buy'
  | 'numbers:read'
  | 'recordings:read'
  | 'recordings:write'
  | 'rooms:read'
  | 'rooms:write'
  | 'sms:send'
  | 'streams:read'
  | 'streams:write'
  | 'tokens:create'
  | 'verifications:start'
  | 'webhooks:write';

/** What media belongs to. */
export type Scope = 'call' | 'conference' | 'stream';

/** What a track shows or plays. */
export type Source = 'camera' | 'microphone' | 'screen' | 'screen-audio';

/** How a stream is published. */
export type PublishedBy = 'rtmp' | 'sdk' | 'whip';

/** The resolution that a publisher sends, at 30 frames per second: 2.5 (`720p`), 4.5 (`1080p`) or 13 Mbit/s (`4k`). */
export type StreamQuality = '1080p' | '4k' | '720p';

/** The state of a stream: `idle` until it goes live. */
export type StreamStatus = 'ended' | 'idle' | 'live';

/** How a stream is watched. */
export type WatchedBy = 'hls' | 'sdk' | 'whep';

/** The state of a message. `sending` and `failed` exist only on the device that sends it. */
export type MessageStatus = 'delivered' | 'failed' | 'read' | 'sending' | 'sent';

/** What a message contains. */
export type MessageType = 'audio' | 'file' | 'image' | 'text' | 'video';

/** What was recorded. */
export type RecordingKind = 'call' | 'conference' | 'stream';

/** The state of a recording. Its files can be read when it is `ready`. */
export type RecordingStatus = 'failed' | 'processing' | 'ready' | 'recording';

/** The id of a group of wallets that write to each other. */
export type GroupId = `grp_${string}`;

/** Who gets a message: another wallet, or all members of a group. */
export type Recipient = Address | GroupId;

/** What a member may do in a group. An admin may also rename it, remove members and make others admins. */
export type GroupRole = 'admin' | 'member';

/** The relation of a wallet to a group. */
export type GroupStanding = 'invited' | 'left' | 'member' | 'removed';

/** What a push notification is about. */
export type PushKind = 'call' | 'conferenceInvite' | 'group' | 'message' | 'voicemail';

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
  url?: (push: {
    version: 1;
    kind: PushKind;
    /** The id of the call, message, voicemail or room, or of the group to which the wallet is invited. */
    id: string;
    from: Address;
    /** The name by which the recipient knows the sender: that of its contact, or of the sender's profile. Missing if there is none. */
    fromName?: string;
    /** The recipient. A browser may be signed in with several wallets. */
    to: Address;
    at: string;
    /** The group of a message or invitation. Missing for a message to this wallet alone. */
    group?: {
      id: GroupId;
      name: string;
    };
    /** Only for a call. */
    type?: CallType;
    /** Only for a call that no longer rings. The notification with the outcome replaces the previous one of the call. */
    outcome?: 'answered' | 'declined' | 'ended' | 'missed';
  }) => string;
}

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

/** The video that an element shows: a track, or a participant's source. */
export type Watched =
  | MediaStreamTrack
  | {
      /** A participant's id or a wallet's address. */
      participant: string;
      source: Source;
    };

/** Records the microphone once, for a runtime without MediaRecorder. */
export interface AudioRecorder {
  /**
   * Opens the microphone and starts.
   * @returns the microphone's stream, or nothing if the recorder has none
   * @throws Error if the microphone cannot be opened. A ParleyError reaches the app as it is
   */
  start(): Promise<MediaStream | undefined>;
  /**
   * Stops and closes the microphone. Called once, also when the recording is cancelled.
   * @returns the recording
   * @throws Error if the recording failed
   */
  stop(): Promise<UploadFile>;
}

/** A file of a phone, by its address, as the pickers of React Native return it. */
export interface FileAddress {
  /** The address: `file://…`, `content://…`, `ph://…`, or `https://…`. */
  uri: string;
  /** The MIME type. Has no effect: the server determines the type from the content. */
  type?: string | null;
  /** The file name. @default none */
  name?: string | null;
}

/**
 * What a runtime supplies in place of functions of browsers that it lacks. Browsers and Node need none of it; `@parley/react-native` has
 * all of it for React Native.
 */
export interface PlatformOptions {
  /** Fills an array with random bytes. All clients of the process use it. @default crypto.getRandomValues */
  getRandomValues?: (bytes: Uint8Array<ArrayBuffer>) => unknown;
  /**
   * The origin of this app, for sign-in messages, and the server's URL if there is no `baseUrl`. null if the app has none: sign-in messages
   * then have the origin of the server. @default the origin of the page, or null outside a browser
   */
  origin?: string | null;
  /** Reads a file by its address, for uploads. @default fetch */
  readFile?: (file: FileAddress) => Promise<Blob>;
  /** Creates a recorder for voicemails. @default MediaRecorder, with the microphone of `media.getUserMedia` */
  createRecorder?: () => AudioRecorder;
}

/**
 * A browser's localStorage or sessionStorage, or an object with the same methods. They may return promises, like those of React Native's
 * AsyncStorage.
 */
export interface SessionStorage {
  /**
   * Reads an item.
   * @param key the name of the item
   * @returns the text, or null if there is no such item
   * @throws Error if the storage is forbidden. The client then works without it
   */
  getItem(key: string): string | null | Promise<string | null>;
  /**
   * Writes an item.
   * @param key the name of the item
   * @param value the text
   * @returns nothing, or a promise that resolves when the item is stored
   * @throws Error if the storage is full or forbidden. The client then works without it
   */
  setItem(key: string, value: string): unknown;
  /**
   * Removes an item.
   * @param key the name of the item
   * @returns nothing, or a promise that resolves when the item is removed
   * @throws Error if the storage is forbidden. The client then works without it
   */
  removeItem(key: string): unknown;
}

/** Anything that can be uploaded: a Blob or File, bytes, or the address of a file. */
export type UploadFile = Blob | Uint8Array | FileAddress;

/** The network on whose chains gates are checked. */
export type Network = 'mainnet' | 'testnet';

/** A call as this wallet sees it. */
export interface Call {
  id: string;
  from: Address;
  to: Address;
  type: CallType;
  status: CallStatus;
  /** From the point of view of the wallet that receives this object. */
  direction: 'incoming' | 'outgoing';
  /** When it started to ring. */
  startedAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date | null;
  /** Seconds from the answer to the end; null until an answered call has ended. */
  duration: number | null;
  /**
   * Why it ended: `hangup`, `cancelled`, `timeout`, `connection_lost`, `busy`, `declined`, `failed` (the call could not be set up),
   * `moved` (the call has become a room) or the callee's own reason.
   */
  endReason: string | null;
  /** The wallet that records the call; null if it is not recorded. */
  recordedBy: Address | null;
  isRecording: boolean;
  /** The room that the call has become; null if it has become none. Missing from servers of older releases. */
  movedTo?: string | null;
}

/** A call that is over: completed (it was answered), missed or declined. */
export interface CallRecord {
  id: string;
  from: Address;
  to: Address;
  type: CallType;
  /** From the point of view of the wallet that receives this object. */
  direction: 'incoming' | 'outgoing';
  /** When it started to ring. */
  startedAt: Date | null;
  answeredAt: Date | null;
  endedAt: Date | null;
  /** Seconds from the answer to the end; null until an answered call has ended. */
  duration: number | null;
  /**
   * Why it ended: `hangup`, `cancelled`, `timeout`, `connection_lost`, `busy`, `declined`, `failed` (the call could not be set up),
   * `moved` (the call has become a room) or the callee's own reason.
   */
  endReason: string | null;
  /** The wallet that records the call; null if it is not recorded. */
  recordedBy: Address | null;
  isRecording: boolean;
  /** The room that the call has become; null if it has become none. Missing from servers of older releases. */
  movedTo?: string | null;
  status: 'completed' | 'declined' | 'missed';
}

/** A participant of a call or room. */
export interface Participant {
  id: string;
  /** The id of the room; in a call, the id of the call. */
  roomId: string;
  /** The wallet, or `guest:…` for a guest. */
  walletAddress: PartyId;
  /** true for a guest; missing for a wallet. */
  isGuest?: true;
  displayName: string | null;
  /** A viewer only receives media. */
  role: ParticipantRole;
  /** Which media the participant sends right now. */
  audio: boolean;
  video: boolean;
  screen: boolean;
  /** Whether the participant is asking to speak. */
  handRaised: boolean;
  joinedAt: Date;
  /**
   * Whether the participant's connection was lost when the server answered the join. Later changes arrive as `…:participant:away`
   * events, from which the SDK sets this field.
   */
  isAway?: boolean;
}

/** A guest: what its participant token says. `subjectId` is the room or stream that it may enter. */
export interface Guest {
  /** The identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`. */
  identity: string;
  /** The name shown to the others. */
  displayName: string | null;
  /** The role of the guest. */
  role: ParticipantRole;
  /** What the guest may do. */
  grants: Grants;
  /** Your own text about the guest. */
  metadata: string | null;
  /** Until when the token can be used to enter. */
  expiresAt: Date;
  /** The id of the room or stream. */
  subjectId: string;
}

/** A conference room. `participants` is empty if this wallet could not join the room. */
export interface ConferenceRoom {
  id: string;
  name: string;
  /** The wallet that created the room, or the account without a wallet (`account:…`) whose backend did. */
  host: PartyId;
  /** The participants; empty for a wallet that may not see them. */
  participants: {
    id: string;
    /** The id of the room; in a call, the id of the call. */
    roomId: string;
    /** The wallet, or `guest:…` for a guest. */
    walletAddress: PartyId;
    /** true for a guest; missing for a wallet. */
    isGuest?: true;
    displayName: string | null;
    /** A viewer only receives media. */
    role: ParticipantRole;
    /** Which media the participant sends right now. */
    audio: boolean;
    video: boolean;
    screen: boolean;
    /** Whether the participant is asking to speak. */
    handRaised: boolean;
    joinedAt: Date;
    /**
     * Whether the participant's connection was lost when the server answered the join. Later changes arrive as `…:participant:away`
     * events, from which the SDK sets this field.
     */
    isAway?: boolean;
    /** The metadata of a guest, as its backend wrote it. Missing without any. */
    metadata?: string;
  }[];
  maxParticipants: number;
  /** Whether the room allows cameras. */
  video: boolean;
  /** Whether the room allows audio. */
  audio: boolean;
  settings: RoomSettings;
  createdAt: Date;
  endedAt: Date | null;
  /** Why it ended: `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`. */
  endReason: string | null;
  /** The address of a page for joining the room. */
  url: string;
  status: RoomStatus;
  /** The type of the gate; null without a gate. */
  gateType: GateType | null;
  /** The gate; null without a gate. Its fields are those of `Gate` in the reference of the SDK. */
  gate: Gate | null;
  /** The wallet that records the room; null if it is not recorded. */
  recordedBy: PartyId | null;
  isRecording: boolean;
  /** The room that this one is a breakout of; null if it is none. Missing from servers of older releases. */
  parentId?: string | null;
  /** When the breakouts of this room end, and everybody in them comes back; null if no time is set. */
  breakoutsEndAt?: Date | null;
  /** When the room is to start; null if it is not scheduled. Missing from servers of older releases. */
  startsAt?: Date | null;
}

/** A room with a gate. */
export type GatedRoom = ConferenceRoom & { gateType: GateType; gate: GateConfig };

/** The settings of a room. Times are in seconds. */
export interface RoomSettings {
  locked: boolean;
  waitingRoom: boolean;
  muteOnEntry: boolean;
  allowScreenShare: boolean;
  allowChat: boolean;
  record: boolean;
  codec: 'vp8' | 'vp9';
  emptyTimeout: number;
  maxDuration: number | null;
}

/**
 * The condition a wallet must meet to enter. Amounts are decimal strings in base units. A `multi` has 1 to 10 conditions; they nest at most
 * three levels deep, with at most 20 conditions and 200 token ids in all.
 */
export type GateConfig =
  | {
      type: 'nft';
      /** The id of the chain, such as 1 for Ethereum. */
      chainId: number;
      /** The address of the contract. */
      contractAddress: string;
      /** The standard of the contract. */
      standard: 'erc1155' | 'erc721';
      /** The tokens that are accepted, 1 to 50. If left out (ERC-721 only), any token of the contract is accepted. */
      tokenIds?: string[];
      /** How many of these tokens the wallet must own. Default: '1'. */
      minBalance?: string;
    }
  | {
      type: 'token';
      /** The id of the chain, such as 1 for Ethereum. */
      chainId: number;
      /** The token’s contract; null for the chain’s native coin. */
      contractAddress: string | null;
      /** In base units: 1 of a token with 18 decimals is "1000000000000000000". */
      minBalance: string;
      /** The token’s decimals, 0 to 77, only for displaying the amount. */
      decimals?: number;
    }
  | {
      type: 'dao';
      /** The id of the chain, such as 1 for Ethereum. */
      chainId: number;
      /** The address of the contract. */
      contractAddress: string;
      /** How the contract is asked. */
      method: 'governor' | 'member' | 'votes';
      /** How many votes the wallet must have, in base units. Default: '1'. */
      minVotes?: string;
    }
  | {
      type: 'multi';
      operator: 'and' | 'or';
      conditions: GateConfig[];
    };

/** A gate as the server returns it, with all fields. */
export type Gate =
  | {
      type: 'multi';
      operator: 'and' | 'or';
      conditions: Gate[];
    }
  | {
      type: 'nft';
      /** The id of the chain, such as 1 for Ethereum. */
      chainId: number;
      contractAddress: EvmAddress;
      /** The standard of the contract. */
      standard: 'erc1155' | 'erc721';
      /** The tokens that are accepted, 1 to 50. If left out (ERC-721 only), any token of the contract is accepted. */
      tokenIds?: string[];
      /** How many of these tokens the wallet must own. Default: '1'. */
      minBalance: string;
    }
  | {
      type: 'token';
      /** The id of the chain, such as 1 for Ethereum. */
      chainId: number;
      /** The token’s contract; null for the chain’s native coin. */
      contractAddress: EvmAddress | null;
      /** In base units: 1 of a token with 18 decimals is "1000000000000000000". */
      minBalance: string;
      /** The token’s decimals, 0 to 77, only for displaying the amount. */
      decimals?: number;
    }
  | {
      type: 'dao';
      /** The id of the chain, such as 1 for Ethereum. */
      chainId: number;
      contractAddress: EvmAddress;
      /** How the contract is asked. */
      method: 'governor' | 'member' | 'votes';
      /** How many votes the wallet must have, in base units. Default: '1'. */
      minVotes: string;
    };

/** Whether a wallet may enter, and which requirements it meets and lacks, as text for people. */
export interface AccessResult {
  allowed: boolean;
  reason: string | null;
  requirementsMet: string[];
  missingRequirements: string[];
}

/** A contract's name, symbol and decimals. `kinds` lists the kinds of conditions that a gate can use it in. */
export interface ContractFacts {
  name: string | null;
  symbol: string | null;
  decimals: number | null;
  kinds: ('erc1155' | 'erc20' | 'erc721' | 'governor' | 'member' | 'votes')[];
}

/** A chain that a gate may use. */
export interface GateChain {
  chainId: number;
  name: string;
  /** The symbol of the native coin, which has 18 decimals. */
  coin: string;
  /** Contracts with which gates can be tried. Only servers that were started with `--demo-chain` have some. */
  examples?: {
    name: string;
    type: 'nft' | 'token';
    contractAddress: EvmAddress;
  }[];
}

/** A wallet in a room's waiting room. */
export interface RoomWaiter {
  roomId: string;
  walletAddress: Address;
  displayName: string | null;
  askedAt: Date;
}

/** A room that has ended, with the times of this wallet in it, its recordings of the room, and the number of messages that it can read. */
export interface PastRoom {
  /** The room, without participants. */
  room: ConferenceRoom;
  /** When this wallet entered it for the first time; null if it never did. */
  joinedAt: Date | null;
  /** When this wallet last left it, at the latest when the room ended; null if it was never in it. */
  leftAt: Date | null;
  /** The recordings of the room that belong to this wallet, newest first, at most 10. */
  recordings: Recording[];
  /** The number of chat messages that this wallet can read. */
  messages: number;
}

/** A chat message in a room, and its sender. */
export interface ChatMessage {
  roomId: string;
  message: {
    id: string;
    roomId: string;
    from: PartyId;
    content: string;
    timestamp: Date;
  };
  sender: Sender;
}

/** Data that another participant of a room, or the backend of its host, has sent. */
export interface RoomData {
  roomId: string;
  /** The id of the participant who sent it; null for the backend. */
  from: string | null;
  /** The wallet or guest who sent it; null for the backend. */
  walletAddress: PartyId | null;
  /** true for a guest; missing for a wallet and for the backend. */
  isGuest?: true | undefined;
  topic: string;
  data: Uint8Array | JsonValue;
}

/** The recipients of data, and whether it may be dropped. */
export interface SendDataOptions {
  /** The ids of the participants to send it to, 1 to 100. @default everybody in the room */
  to?: string[];
  /** false drops it for participants whose connection is congested. @default true */
  reliable?: boolean;
}

/** The sender of a chat message in a room or stream. */
export interface Sender {
  walletAddress: PartyId;
  /** true for a guest; missing for a wallet. */
  isGuest?: true;
  displayName: string | null;
}

/**
 * Why this wallet was removed from a room that continues. `kicked`: by a host. `access_lost`: it no longer meets the gate.
 * `access_unknown`: the gate could not be checked for too long. `revoked`: its participant token was revoked. `away`: its device lost the
 * connection for longer than the grace period. Only after `kicked` does it need an invitation to return.
 */
export type RemovalReason = 'access_lost' | 'access_unknown' | 'away' | 'kicked' | 'revoked';

/** A live stream. Only its host gets `streamKey`; it is empty for all others. */
export interface LiveStream {
  id: string;
  title: string;
  /** The description; empty if there is none. */
  description: string;
  /** The wallet that created the stream, or the account without a wallet (`account:…`) whose backend did. */
  host: PartyId;
  /** The key for publishing. Only the host receives it; for all others it is empty. */
  streamKey: string;
  /** The same as `whipUrl`. */
  url: string;
  whipUrl: string;
  /** The RTMP address without the key, which must be appended as the last part of its path. Empty if the server does not accept RTMP. */
  rtmpUrl: string;
  whepUrl: string;
  /** The address of the HLS playlist. It does not contain the key. */
  playbackUrl: string;
  /** The address of a page to watch the stream. */
  watchUrl: string;
  status: StreamStatus;
  /** The current number of distinct viewers, by SDK, WHEP and HLS together. */
  viewerCount: number;
  /** true: listed and open to all. false: open only with a viewer token from the host, or to wallets that meet the gate. */
  isPublic: boolean;
  gateType: GateType | null;
  gate: Gate | null;
  /** Whether the stream is recorded. Viewers also receive this field. */
  record: boolean;
  /** Whether the publisher sends media right now. false while a live stream waits for its publisher to reconnect. */
  isSending: boolean;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Why it ended: `ended` (by its host), `gone` (its publisher did not come back). */
  endReason: string | null;
}

/** A viewer of a stream. A wallet is one viewer, however many devices it watches on. */
export interface Viewer {
  id: string;
  streamId: string;
  /** The wallet; `guest:…` for a guest with a participant token; null for a viewer without either. */
  walletAddress: PartyId | null;
  /** true for a guest; missing for a wallet. */
  isGuest?: true;
  displayName: string | null;
  via: WatchedBy;
  joinedAt: Date;
}

/** A chat message of a stream, and its sender. */
export interface StreamChatMessage {
  streamId: string;
  message: {
    id: string;
    streamId: string;
    from: PartyId;
    /** The id of the stream. */
    to: string;
    content: string;
    type: 'text';
    status: 'sent';
    timestamp: Date;
  };
  sender: Sender;
}

/** A message as this wallet sees it. */
export interface Message {
  id: string;
  from: Address;
  /** The other wallet, or the group. */
  to: Recipient;
  /** Empty if the message was deleted for everyone. */
  content: string;
  type: MessageType;
  media: MediaInfo | null;
  /** When the message was stored. Within a conversation, each message has a later time than the one before it. */
  timestamp: Date;
  /** Of a message to a group, its sender sees `delivered` and `read` once that is true for all members. */
  status: MessageStatus;
  reactions: Reaction[];
  /** When the message was deleted for everyone; null if it was not. */
  deletedAt: Date | null;
  /** The message that this one replies to; null if it is no reply. */
  replyTo: {
    id: string;
    from: Address;
    /** The first 200 characters. Empty if the message was deleted, or if this wallet cannot see it. */
    content: string;
    type: MessageType;
  } | null;
  /** When the sender last changed the content; null if it was not changed. */
  editedAt: Date | null;
}

/** An emoji that a wallet has added to a message. */
export interface Reaction {
  emoji: string;
  from: Address;
  timestamp: Date;
}

/** The messages between two wallets, as one of them sees it. */
export interface Conversation {
  /** The id, which is the same for all its wallets. */
  id: string;
  /** The other wallet, or the group. */
  with: Recipient;
  /** null for a conversation of two wallets. */
  group: GroupSummary | null;
  lastMessage: Message | null;
  /** The number of unread messages. Counting stops at 10,000. */
  unreadCount: number;
  /** The time of the last message. Without one, the time when this wallet was invited to the group or entered it, or null. */
  updatedAt: Date | null;
}

/** A group of wallets that write to each other, as this wallet sees it. */
export interface GroupSummary {
  id: GroupId;
  /** For a wallet that has left or was removed: the name that the group had then. */
  name: string;
  /** This wallet's own. Only a member gets and sends messages. */
  standing: GroupStanding;
  /** This wallet's own. */
  role: GroupRole;
  /** The wallet that has added or invited this wallet; null for the wallet that created the group. */
  invitedBy: Address | null;
  /** The number of members, without those who are only invited. 0 for a wallet that has left or was removed. */
  memberCount: number;
}

/** A group with its members. */
export interface Group {
  id: GroupId;
  /** For a wallet that has left or was removed: the name that the group had then. */
  name: string;
  /** This wallet's own. Only a member gets and sends messages. */
  standing: GroupStanding;
  /** This wallet's own. */
  role: GroupRole;
  /** The wallet that has added or invited this wallet; null for the wallet that created the group. */
  invitedBy: Address | null;
  /** The number of members, without those who are only invited. 0 for a wallet that has left or was removed. */
  memberCount: number;
  createdAt: Date;
  /** Members first, in the order in which they entered, then invited wallets. Empty for a wallet that has left or was removed. */
  members: GroupMember[];
}

/** A member of a group, or a wallet that is invited. */
export interface GroupMember {
  walletAddress: Address;
  role: GroupRole;
  standing: 'invited' | 'member';
}

/** A wallet's session: an access token that is valid for one hour, and a refresh token for the next session. */
export interface Session {
  /** A JWT that expires after an hour: the bearer token of HTTP requests and of the realtime handshake. */
  token: string;
  /**
   * Can be exchanged for a new session, whose refresh token replaces it. It may be sent again for a minute if the answer was lost. Later, or
   * after the new refresh token was used, sending it again ends the session.
   */
  refreshToken: string;
  /** The wallet's address on its chain. */
  walletAddress: EvmAddress;
  /** The wallet's identity in calls, messages and rooms: `walletAddress`, or the CAIP-10 id of a contract wallet. */
  walletId: Address;
  network: Network;
  /** The chain of the sign-in. */
  chainId: number;
  /** When the session was created. */
  createdAt: Date;
  /** When the token expires. */
  expiresAt: Date;
}

/** A session from an outside identity provider. Its wallet is null if the account has none. */
export interface ProviderSession {
  /** A JWT that expires after an hour: the bearer token of HTTP requests and of the realtime handshake. */
  token: string;
  /**
   * Can be exchanged for a new session, whose refresh token replaces it. It may be sent again for a minute if the answer was lost. Later, or
   * after the new refresh token was used, sending it again ends the session.
   */
  refreshToken: string;
  network: Network;
  /** The chain of the sign-in. */
  chainId: number;
  /** When the session was created. */
  createdAt: Date;
  /** When the token expires. */
  expiresAt: Date;
  /** The address of the wallet on its chain; null without a wallet. */
  walletAddress: EvmAddress | null;
  /** `walletAddress`, or the CAIP-10 id of a contract wallet; null without a wallet. */
  walletId: Address | null;
}

/** The outside identity provider of a server, with the parameters that a sign-in page needs. */
export interface Provider {
  /** The name of the provider, for the label of a button. */
  name: string;
  /** The issuer of its tokens. Its configuration is at /.well-known/openid-configuration below it. */
  issuer: string;
  /** The id of the public client. */
  clientId: string;
  /** The scope to request. */
  scope: string;
  /** Which token this server accepts: the ID token, or an access token for `audience`. */
  token: 'access_token' | 'id_token';
  /** The audience to request. */
  audience: string;
}

/** The server's version and the availability of its services. */
export interface ServerStatus {
  /** `degraded`: a service the server depends on does not answer. */
  status: 'degraded' | 'operational';
  /** The version of the server. */
  version: string;
  /** The time on the server. */
  time: Date;
  /** The network to sign in to: `testnet` if the server reads chains of test networks only. */
  network: Network;
  /** The services. Routes of an unavailable service answer 503. */
  services: Record<string, 'available' | 'unavailable'>;
}

/** What this wallet tells others about itself. `avatarUrl` is signed and valid for about an hour. */
export interface Profile {
  walletAddress: Address;
  /** null if the wallet has not set one. */
  name: string | null;
  /** A signed address of a small square image, which expires after about an hour; null without an image. */
  avatarUrl: string | null;
}

/** A wallet as this wallet knows it. `name` is the best of its names, or null. `avatarUrl` is signed and valid for about an hour. */
export interface Person {
  walletAddress: Address;
  /** The best name: `contactName`, otherwise `profileName`, otherwise `ensName`; null if there is none. */
  name: string | null;
  /** The name in the wallet's profile; null if it has none or does not tell it to this wallet. */
  profileName: string | null;
  /** The name under which this wallet has saved it as a contact; null if it has not. */
  contactName: string | null;
  /** The primary ENS name of the wallet; null if it has none, or if it is not known yet. */
  ensName: string | null;
  /** A signed address of a small square image, which expires after about an hour; null if there is none for this wallet. */
  avatarUrl: string | null;
}

/** A wallet that this wallet has saved under a name. */
export interface SavedContact {
  walletAddress: Address;
  name: string;
}

/** The kinds of push notifications a wallet wants. */
export interface NotificationPreferences {
  calls?: boolean;
  messages?: boolean;
  voicemails?: boolean;
  conferenceInvites?: boolean;
}

/** What a push notification is about: a call, message, voicemail or invitation. */
export interface PushNotification {
  version: 1;
  kind: PushKind;
  /** The id of the call, message, voicemail or room, or of the group to which the wallet is invited. */
  id: string;
  from: Address;
  /** The name by which the recipient knows the sender: that of its contact, or of the sender's profile. Missing if there is none. */
  fromName?: string;
  /** The recipient. A browser may be signed in with several wallets. */
  to: Address;
  at: Date;
  /** The group of a message or invitation. Missing for a message to this wallet alone. */
  group?: {
    id: GroupId;
    name: string;
  };
  /** Only for a call. */
  type?: CallType;
  /** Only for a call that no longer rings. The notification with the outcome replaces the previous one of the call. */
  outcome?: 'answered' | 'declined' | 'ended' | 'missed';
}

/** One page of a list. `nextCursor` is the cursor of the next page, null on the last page. */
export interface Page<Item> {
  data: Item[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** Selects a page of a list. */
export interface PageQuery {
  /** Items per page, 1 to 100. @default 50 */
  limit?: number;
  /** The `nextCursor` of the previous page. @default the first page */
  cursor?: string;
}

/** A voicemail. `audioUrl` is signed and valid for about an hour. */
export interface Voicemail {
  id: string;
  from: Address;
  to: Address;
  /** A signed address that expires after about an hour. Empty for the sender, since only the recipient may listen. */
  audioUrl: string;
  /** The duration in seconds. */
  duration: number;
  timestamp: Date;
  isRead: boolean;
  transcription: string | null;
}

/** A recording of a stream, room or call. `url` is set and `files` are complete once it is `ready`. */
export interface Recording {
  id: string;
  kind: 'call' | 'conference' | 'stream';
  /** The id of the stream, room or call. */
  roomId: string;
  /** The owner: the host of the stream, or the wallet that started recording the room or call. */
  host: PartyId;
  /** The title of the stream or room; empty for a call. */
  title: string;
  status: RecordingStatus;
  startedAt: Date;
  endedAt: Date | null;
  /**
   * Why it ended: `stopped`, `over` (the stream, room or call ended), `too_long`, `too_large`, `no_space`; or why it failed:
   * `nothing_recorded`, `not_joined`.
   */
  endReason: string | null;
  /** Seconds from the start of the recording to the end of its last file; null until the recording is ready. */
  durationSeconds: number | null;
  /** The size of all files together; null until the recording is ready. */
  sizeBytes: number | null;
  /**
   * The number of participants who were not recorded for at least some of the time, because more participants were sending than this
   * server can record at once.
   */
  leftOut: number;
  /**
   * The signed address of the first file that is not a screen share (or of the first file if all are), which expires after about an
   * hour; null until the recording is ready. The recording of a stream usually has only this file.
   */
  url: string | null;
  /**
   * The files, in the order in which they start. A stream has one file, or several if its codec or size changed. A room or call has
   * one or more files for each participant who sent media, and one or more for each screen share.
   */
  files: {
    /** The id of the file. */
    id: string;
    /** A signed address that expires after about an hour. With `&thumbnail` it returns a small image of an image or video. */
    url: string;
    /** The type, detected from the content. */
    mimeType: string;
    /** Size in bytes. */
    size: number;
    /** The name it was uploaded with. */
    name: string | null;
    /** Width in pixels; null for audio and documents. */
    width: number | null;
    /** Height in pixels; null for audio and documents. */
    height: number | null;
    /** Duration in seconds; null for images and documents. */
    duration: number | null;
    /** The recorded participant. */
    walletAddress: PartyId;
    /** true for a guest; missing for a wallet. */
    isGuest?: true;
    /** The name that the participant had in the room; null in a call or stream. Missing from servers of older releases. */
    displayName?: string | null;
    /** true: the file contains the participant's shared screen with its audio. false: it contains their camera and microphone. */
    isScreen: boolean;
    /** Seconds from the start of the recording to the start of this file. */
    startSeconds: number;
  }[];
}

/** The text of a voicemail. Each of the `segments` has its `start` and `end`, in seconds. */
export interface Transcription {
  voicemailId: string;
  text: string;
  language: string | null;
  /** `start` and `end` in seconds from the beginning. */
  segments: {
    start: number;
    end: number;
    text: string;
  }[];
  createdAt: Date;
}

/**
 * An image, video, audio file or document on the server. `url` is signed and valid for about an hour. With `&thumbnail` appended, it returns a
 * thumbnail of an image or video.
 */
export interface MediaInfo {
  /** The id of the file. */
  id: string;
  /** A signed address that expires after about an hour. With `&thumbnail` it returns a small image of an image or video. */
  url: string;
  /** The type, detected from the content. */
  mimeType: string;
  /** Size in bytes. */
  size: number;
  /** The name it was uploaded with. */
  name: string | null;
  /** Width in pixels; null for audio and documents. */
  width: number | null;
  /** Height in pixels; null for audio and documents. */
  height: number | null;
  /** Duration in seconds; null for images and documents. */
  duration: number | null;
}

/** A file to send. */
export interface MediaConfig {
  /** At most 25 MB: a Blob or File, bytes, or the address of a file (`{ uri }`), as React Native's pickers return it. */
  file: UploadFile;
  /** Has no effect: the server determines the type from the content. */
  mimeType?: string;
  /** The file name. @default the name of `file`, if it is a File or has one */
  name?: string;
}

/** How to upload a file. */
export interface UploadOptions extends Omit<MediaConfig, 'file'> {
  /** `file` for a document: any content, stored unchanged, for download only. @default an image, video or audio file */
  as?: 'file';
  /** Called during the upload, with the number of bytes sent so far (`loaded`) and in all (`total`). */
  onProgress?: (progress: { loaded: number; total: number }) => void;
  /** Aborts the upload. Its promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** `idle` before the first request and after suspend(); `closed` after close() or signOut(), or when the session cannot be renewed. */
export type ConnectionState = 'idle' | 'connecting' | 'connected' | 'reconnecting' | 'closed';

/** A remote track to show or play. `stream` contains a participant's camera and microphone, or their screen and its audio. */
export interface MediaTrack {
  scope: Scope;
  /** The id of the call, room or stream. */
  id: string;
  participant: Participant;
  source: Source;
  track: MediaStreamTrack;
  stream: MediaStream;
}

/** A state that changes. It fits React's useSyncExternalStore. */
export interface Observable<State> {
  /** The current state: the same object until it changes. Never throws. */
  get: () => State;
  /** Calls a listener after each change. Returns a function that ends this. Never throws. */
  subscribe: (listener: () => void) => () => void;
}

/**
 * All events, with the payload that their handlers get. The device that answers, declines or ends a call, leaves or ends a room, ends a
 * stream, or writes in a chat gets no event for that: the promise of its method resolves instead.
 */
export interface ParleyEvents {
  /** A wallet calls this wallet. */
  'call:incoming': Call;
  /** The callee, or another device of this wallet, has answered the call. */
  'call:answered': Call;
  /** An answered call is over. If its `movedTo` is set, it has become that room, and this device has not moved there. */
  'call:ended': Call;
  /**
   * The call has become a room, because a party has added people. This device is in `room` now, with the same camera and microphone. A
   * shared screen has ended. If an app does not listen to this event, its devices do not move: they get `call:ended`, and the party that did
   * not add people gets `conference:invited`.
   */
  'call:moved': {
    callId: string;
    room: ConferenceRoom;
  };
  /** The callee has declined. */
  'call:declined': Call;
  /** The call was not answered in time, or the caller has hung up or lost the connection before it was answered. */
  'call:missed': Call;
  /** The other party has muted or unmuted the microphone, switched the camera on or off, or started or stopped sharing a screen. */
  'call:participant:updated': Participant;
  /** The other party has lost its connection (`isAway`) and has a grace period to return, by default 20 seconds; or it has returned. */
  'call:participant:away': {
    callId: string;
    walletAddress: Address;
    isAway: boolean;
  };
  /**
   * The network quality of this device's media (`isOwn`) or of the other party's, in each direction: from 0 (nothing arrives) to 10, or
   * null without media. Sent when it changes.
   */
  'call:quality': {
    callId: string;
    walletAddress: Address;
    isOwn: boolean;
    sending: number | null;
    receiving: number | null;
  };
  /** A recording of the call has started or stopped. */
  'call:recording': {
    callId: string;
    recording: boolean;
    by: Address;
  };
  /** Another participant has entered the room. */
  'conference:participant:joined': Participant;
  /** Another participant has left the room or was removed. */
  'conference:participant:left': Participant;
  /**
   * A participant has muted or unmuted, switched the camera on or off, started or stopped sharing a screen, raised or lowered a hand, or
   * got another role or name. Sent for this wallet too.
   */
  'conference:participant:updated': Participant;
  /** A participant has lost the connection (`isAway`) and has a grace period to return, by default 20 seconds; or has returned. */
  'conference:participant:away': {
    roomId: string;
    participantId: string;
    isAway: boolean;
  };
  'conference:screenshare:started': {
    roomId: string;
    participantId: string;
  };
  'conference:screenshare:stopped': {
    roomId: string;
    participantId: string;
  };
  'conference:chat:message': ChatMessage;
  /** Another participant, or the backend of the room's host, has sent data. The messages of one sender arrive in order. */
  'conference:data': RoomData;
  /** The active speakers or their order have changed. The loudest comes first; the list is empty in silence. `level` is from 0 to 1. */
  'conference:speaker:active': {
    roomId: string;
    speakers: {
      participantId: string;
      level: number;
    }[];
  };
  /**
   * The network quality of a participant's media in each direction: from 0 (nothing arrives) to 10, or null without media. In rooms of more
   * than 30 people, this client gets only its own quality.
   */
  'conference:quality': {
    roomId: string;
    participantId: string;
    sending: number | null;
    receiving: number | null;
  };
  /** The room was locked or unlocked, its backend has changed it, or its breakouts were created or have ended. */
  'conference:updated': ConferenceRoom;
  /** A recording of the room has started or stopped. */
  'conference:recording': {
    roomId: string;
    recording: boolean;
    by: PartyId;
  };
  'conference:ended': ConferenceRoom;
  /** A host has invited this wallet to a room. */
  'conference:invited': {
    room: ConferenceRoom;
    from: PartyId;
  };
  /** A host has muted this device's microphone. */
  'conference:muted': {
    roomId: string;
  };
  /** This wallet was removed from a room that continues. If it no longer meets the gate, `access` says which requirements it lacks. */
  'conference:removed': {
    roomId: string;
    reason: RemovalReason;
    access: AccessResult | null;
  };
  /**
   * A host or backend has moved this device to another room, or its breakout has ended (`ended`). The device is in `room` now, with the same
   * camera and microphone. A shared screen has ended.
   */
  'conference:moved': {
    fromRoomId: string;
    room: ConferenceRoom;
    reason: MoveReason;
  };
  /** For hosts: a participant of a breakout asks for a host. `roomId` and `roomName` are those of the breakout. */
  'conference:host:called': {
    roomId: string;
    roomName: string;
    parentId: string;
    participant: Participant;
  };
  /** This wallet is in the waiting room until a host admits it. */
  'conference:waiting': {
    roomId: string;
  };
  /** For hosts: a wallet has entered the waiting room. */
  'conference:waiting:joined': RoomWaiter;
  /** For hosts: a wallet has left the waiting room. */
  'conference:waiting:left': RoomWaiter;
  /** For the host: a viewer has started watching. When many viewers do so at the same time, only the count is sent. */
  'stream:viewer:joined': {
    streamId: string;
    viewer: Viewer;
  };
  /** For the host: a viewer has stopped watching. When many viewers do so at the same time, only the count is sent. */
  'stream:viewer:left': {
    streamId: string;
    viewer: Viewer;
  };
  /** The number of viewers has changed. At most once per second. */
  'stream:viewer:count': {
    streamId: string;
    count: number;
  };
  'stream:chat:message': StreamChatMessage;
  'stream:chat:deleted': {
    streamId: string;
    messageId: string;
  };
  /** The stream has gone live, its publisher was lost or has returned (see `isSending`), or its backend has changed it. */
  'stream:updated': LiveStream;
  'stream:ended': LiveStream;
  /**
   * This wallet or guest may no longer watch. `access_unknown`: the gate could not be checked for too long. `revoked`: the participant token
   * was revoked. `replaced`: another device uses it now.
   */
  'stream:removed': {
    streamId: string;
    reason: 'access_lost' | 'access_unknown' | 'banned' | 'replaced' | 'revoked';
  };
  /** Another device or program has taken over publishing. This device's camera and microphone are switched off. */
  'stream:replaced': {
    streamId: string;
  };
  /** A wallet has left a voicemail for this wallet. */
  'voicemail:received': Voicemail;
  /**
   * The name or image of a wallet may have changed: read it again with `people.get()`. Also sent for this wallet's own profile, and to all its
   * devices when it saves or removes a contact.
   */
  'person:updated': {
    walletAddress: Address;
  };
  /** One of this wallet's recordings has started, stopped, become ready, or failed. */
  'recording:updated': Recording;
  /** A remote track has arrived. Attach `stream` to a video or audio element. */
  'media:track': MediaTrack;
  'media:track:ended': MediaTrack;
  /** This device's own tracks have changed. `stream` is the one that localStream(id) returns. */
  'media:local': {
    scope: 'call' | 'conference' | 'stream';
    id: string;
    stream: MediaStream;
  };
  /**
   * The cameras, microphones and speakers have changed: one was plugged in or unplugged, or the user has allowed the page to use them.
   * `lost` names the kinds whose chosen device is gone: the default one is used instead.
   */
  'media:devices': DeviceList & { lost: DeviceKind[] };
  /** The browser blocks the sound of media.play() until the user clicks, or no longer does. See media.startAudio(). */
  'media:playback': {
    isBlocked: boolean;
  };
  /** An effect has failed and was switched off. The camera or microphone is sent without it. */
  'media:effect:failed': {
    kind: 'camera' | 'microphone';
    error: ParleyError;
  };
  /**
   * Media has failed and could not be recovered automatically. If only a camera or microphone has, which is no longer sent until the user
   * switches it on, `extra.source` of the error names it.
   */
  'media:failed': {
    scope: 'call' | 'conference' | 'stream';
    id: string;
    error: Error;
  };
  /** Another device of this wallet has taken over the call or room. This device's media has ended. */
  'media:replaced': {
    scope: 'call' | 'conference' | 'stream';
    id: string;
  };
  /** A message of this client is being sent. The promise of send() resolves when the server has stored it. */
  'message:sending': Message;
  /** A message of this client could not be sent: retry() or discard() it. */
  'message:failed': {
    message: Message;
    error: Error;
  };
  'message:received': Message;
  /** Another device of this wallet has sent a message, or this device has sent one that was still unsent before a reload. */
  'message:sent': Message;
  /** A device of the recipient has received this message and all before it. In a group, see `allDeliveredUntil`. */
  'message:delivered': {
    messageId: string;
    /** The id of a conversation of two wallets (cnv_…) or of a group (grp_…). */
    conversationId: string;
    /** The recipient, who received or read it. */
    by: Address;
    /** The sender. */
    from: Address;
    at: Date;
    /** Only in a group: all other members have received this wallet's messages up to this time. Missing if there is no other member. */
    allDeliveredUntil?: Date;
    /** Only in a group: all other members have read this wallet's messages up to this time. Missing if there is no other member. */
    allReadUntil?: Date;
  };
  /** The recipient, or another device of this wallet, has read this message and all before it. In a group, see `allReadUntil`. */
  'message:read': {
    id: string;
    /** The other wallet, or the group. */
    to: Recipient;
    /** Empty if the message was deleted for everyone. */
    content: string;
    type: MessageType;
    media: MediaInfo | null;
    /** When the message was stored. Within a conversation, each message has a later time than the one before it. */
    timestamp: Date;
    /** Of a message to a group, its sender sees `delivered` and `read` once that is true for all members. */
    status: MessageStatus;
    reactions: Reaction[];
    /** When the message was deleted for everyone; null if it was not. */
    deletedAt: Date | null;
    /** The message that this one replies to; null if it is no reply. */
    replyTo: {
      id: string;
      from: Address;
      /** The first 200 characters. Empty if the message was deleted, or if this wallet cannot see it. */
      content: string;
      type: MessageType;
    } | null;
    /** When the sender last changed the content; null if it was not changed. */
    editedAt: Date | null;
    messageId: string;
    /** The id of a conversation of two wallets (cnv_…) or of a group (grp_…). */
    conversationId: string;
    /** The recipient, who received or read it. */
    by: Address;
    /** The sender. */
    from: Address;
    at: Date;
    /** Only in a group: all other members have received this wallet's messages up to this time. Missing if there is no other member. */
    allDeliveredUntil?: Date;
    /** Only in a group: all other members have read this wallet's messages up to this time. Missing if there is no other member. */
    allReadUntil?: Date;
  };
  'message:reaction': {
    messageId: string;
    /** The id of a conversation of two wallets (cnv_…) or of a group (grp_…). */
    conversationId: string;
    emoji: string;
    from: Address;
    /** false: the reaction was removed. */
    added: boolean;
    at: Date;
  };
  'message:deleted': {
    messageId: string;
    /** The id of a conversation of two wallets (cnv_…) or of a group (grp_…). */
    conversationId: string;
    /** false: the message is only hidden from this wallet. */
    forEveryone: boolean;
    at: Date;
  };
  /** The sender, or another device of this wallet, has changed the content of this message. */
  'message:edited': Message;
  /** A wallet is typing: to this wallet alone, or in `group`. */
  'typing:start': {
    from: Address;
    /** The group to which the wallet writes. Missing if it writes to this wallet alone. */
    group?: string;
  };
  'typing:stop': {
    from: Address;
    /** The group to which the wallet writes. Missing if it writes to this wallet alone. */
    group?: string;
  };
  /** A group of this wallet has changed, or this wallet was invited, added or removed: the group as it is now. */
  'group:updated': GroupSummary;
  /** This device was offline for longer than the server keeps events, so some were lost. Reload the data that the app shows. */
  'session:missed': Record<string, never>;
  /** The user has clicked a notification while this page was open. */
  'notification:clicked': PushNotification;
  /** The state of the connection has changed. `error` is the reason if it was closed unexpectedly. */
  'connection:changed': {
    state: ConnectionState;
    error?: ParleyError;
  };
}

/** The codec of a camera. Every browser decodes VP8. */
export type VideoCodec = 'vp8' | 'h264' | 'vp9';

/** The requested camera settings. The browser uses the closest ones that the camera supports. */
export interface VideoConfig {
  /** The camera's id, from navigator.mediaDevices.enumerateDevices(). @default the chosen or default camera */
  deviceId?: string;
  /** The front or rear camera of a phone. */
  facingMode?: 'user' | 'environment';
  /** Pixels. @default 1280; in a stream, that of its quality */
  width?: number;
  /** Pixels. @default 720; in a stream, that of its quality */
  height?: number;
  /** Frames per second. @default 30 */
  frameRate?: number;
  /** @default 'vp8'; in a room, the codec of its settings */
  codec?: VideoCodec;
}

/** How the browser processes a microphone. What is missing, the browser decides. */
export interface AudioProcessing {
  /** Whether to remove what the speaker plays. */
  echoCancellation?: boolean;
  /** Whether to remove noise. */
  noiseSuppression?: boolean;
  /** Whether to adjust the volume. */
  autoGainControl?: boolean;
}

/** The requested microphone settings. */
export interface AudioConfig extends AudioProcessing {
  /** The microphone's id, from media.devices(). @default the chosen or default microphone */
  deviceId?: string;
}

/** What a device is for. */
export type DeviceKind = 'camera' | 'microphone' | 'speaker';

/** A camera, microphone or speaker. */
export interface DeviceInfo {
  id: string;
  /** Its name; empty until the user has allowed a device. */
  label: string;
  /** Whether it is the chosen one or, without a choice, the one in use. */
  isChosen: boolean;
}

/** The devices of this computer. */
export interface DeviceList {
  cameras: DeviceInfo[];
  microphones: DeviceInfo[];
  speakers: DeviceInfo[];
}

/** How to send a track of the app. */
export interface PublishOptions {
  /** What the others get the track as. */
  source: Source;
  /** The codec of a camera. @default 'vp8' */
  codec?: VideoCodec;
  /** Whether the SDK stops the track when it no longer sends it. @default false */
  stop?: boolean;
}

/** Changes a camera or microphone before it is sent: see media.setEffect(). */
export interface TrackEffect {
  /**
   * Returns the track to send instead of `track`. Called for each track: several may be in use at a time. The effect frees what it uses
   * for a track once `track` or the returned track is stopped. If it fails later, it stops the returned track and dispatches `ended` on it.
   * @param track the track of the camera or microphone
   * @param context.serverUrl the URL of the server
   * @returns the track to send
   * @throws Error if the effect cannot run here. The untouched track is then sent, and `media:effect:failed` says why
   */
  apply(track: MediaStreamTrack, context?: { serverUrl: string }): Promise<MediaStreamTrack>;
  /** Frees everything that the effect uses, and ends its tracks. Never throws. */
  close(): void;
}

/** The account of the API key or session, with its credits, plan and wallet, and how the request was authenticated. */
export interface AccountInfo {
  id: string;
  /** Credits that can be spent. */
  credits: number;
  /** How this request was authenticated. */
  authMethod: 'api_key' | 'session' | 'x402';
  /** The wallet's address on its chain. */
  walletAddress: EvmAddress | null;
  /** The wallet's identity, as calls and messages name it: `walletAddress`, or the CAIP-10 id of a contract wallet. */
  walletId: Address | null;
  /** The e-mail address, as the identity provider verified it. */
  email: string | null;
  /** The plan's id. */
  plan: string | null;
  /** The API key that sent the request; null for a session. */
  apiKey: {
    id: string;
    /** The first characters of the key, which identify it in lists and logs. */
    prefix: string;
    /** What the key may do. */
    scopes: KeyScope[];
  } | null;
  /** When the account was created. */
  createdAt: Date;
}

/** The balance, in whole credits. One credit is one US cent. */
export interface Credits {
  /** Credits that can be spent. */
  credits: number;
  /** Credits held by purchases in progress. They are no longer part of `credits`. */
  reserved: number;
  /** The currency of `creditValue`. */
  currency: 'USD';
  /** The value of one credit in `currency`. */
  creditValue: '0.01';
  /** When the balance last changed. */
  updatedAt: Date;
}

/** The credits an account has spent in a period. */
export interface Usage {
  /** Start of the period. */
  from: Date;
  /** End of the period. */
  to: Date;
  /** How the rows are grouped. */
  groupBy: 'day' | 'key' | 'service';
  /** Sums over the whole period. */
  totals: {
    /** Authenticated requests, also those that cost nothing or were refused. */
    requests: number;
    /** Units used: segments, look-ups, months … */
    units: number;
    /** Credits spent, less refunds. */
    credits: number;
  };
  /** `bucket` is the day, the service or the prefix of the key (`session` for requests without a key). */
  data: {
    /** Authenticated requests, also those that cost nothing or were refused. */
    requests: number;
    /** Units used: segments, look-ups, months … */
    units: number;
    /** Credits spent, less refunds. */
    credits: number;
    /** The day, the service or the prefix of the key (`session` for requests without a key). */
    bucket: string;
    /** The service. */
    service: string;
  }[];
}

/** A period of at most 366 days, and how to group its rows. */
export interface UsageQuery {
  /** Start of the period: a day or a time, in UTC. Default: 30 days before its end. */
  from?: string | Date;
  /** End of the period. Default: now. */
  to?: string | Date;
  /** Group the rows by day, service or key. */
  groupBy?: 'day' | 'key' | 'service';
}

/** One movement of credits: a debit, credit or refund. */
export interface Movement {
  id: string;
  /** Whether credits were spent (debit), added (credit) or refunded (refund). */
  type: 'credit' | 'debit' | 'refund';
  /** The service it belongs to. */
  service: string;
  /** Credits; always positive. `type` tells whether they were added. */
  amount: number;
  /** The balance after this movement. */
  balanceAfter: number;
  /** A description for people. */
  description: string;
  /** The object it paid for: a message, a number, an order … */
  reference: {
    /** The type of the object. */
    type: string;
    /** Its id. */
    id: string;
  };
  /** The prefix of the key that spent it; null without a key. */
  apiKeyPrefix: string | null;
  /** When it happened. */
  createdAt: Date;
}

/** Selects movements of credits. */
export interface HistoryQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only movements of this type. */
  type?: 'credit' | 'debit' | 'refund';
}

/** The account's plan. `status` is `none` if it has none. */
export interface Subscription {
  /** The status of the plan; `none` without one. */
  status: 'active' | 'canceled' | 'none' | 'past_due';
  /** The plan; null without one. */
  plan: {
    /** The id of the plan. */
    id: string;
    /** The name of the plan. */
    name: string;
    /** Credits added each month. */
    monthlyCredits: number;
    /** US dollars per month, as a decimal. */
    price: string;
  } | null;
  /** Start of the paid month. */
  currentPeriodStart: Date | null;
  /** End of the paid month. */
  currentPeriodEnd: Date | null;
  /** Whether the plan ends at `currentPeriodEnd`. */
  cancelAtPeriodEnd: boolean;
}

/** A monthly plan. */
export interface Plan {
  /** The id of the plan. */
  id: string;
  /** The name of the plan. */
  name: string;
  /** Credits added each month. */
  monthlyCredits: number;
  /** US dollars per month, as a decimal. */
  price: string;
  /** Breach searches per month. */
  leakSearches: number;
}

/** A payment page at Stripe. */
export interface Checkout {
  /** The payment; null for a plan. */
  id: string | null;
  /** The address of the Stripe page. */
  url: string;
  /** Credits the payment adds. */
  credits: number;
  /** US dollars, as a decimal. */
  amount: string;
  /** The currency of `amount`. */
  currency: 'USD';
  /** When the page expires. */
  expiresAt: Date;
}

/** A payment of an account, in any state. */
export interface Payment {
  id: string;
  /** How it was paid. */
  type: 'stripe' | 'x402';
  /** What the payment is for. */
  kind: 'plan' | 'request' | 'top_up';
  /** The status of the payment. */
  status: 'disputed' | 'expired' | 'failed' | 'paid' | 'partially_refunded' | 'pending' | 'refunded';
  /** The amount, as a decimal in `currency`. */
  amount: string;
  /** The currency of `amount`. */
  currency: 'USD';
  /** Credits it added. */
  credits: number;
  /** Credits that were removed again because the payment was refunded or disputed. */
  creditsTakenBack: number;
  /** A description for people. */
  description: string;
  /** When the payment was started. */
  createdAt: Date;
  /** When it was paid; null until then. */
  paidAt: Date | null;
}

/** The payment of a single request (x402), as the operator sees it. */
export interface RequestPayment {
  id: string;
  /** The status of the payment. */
  status: 'done' | 'failed' | 'settled' | 'settling';
  /** Why the payment failed; null unless it failed. */
  failure: string | null;
  /** The wallet that paid. */
  payer: string;
  /** The CAIP-2 id of the chain, for example eip155:8453. */
  network: string;
  /** The address of the token's contract. */
  asset: string;
  /** In the smallest unit of the token, as decimal text. */
  amount: string;
  /** The address that was paid. */
  payTo: string;
  /** The hash of the transaction on the chain; null until it was sent. */
  transaction: string | null;
  /** The service that was paid for. */
  service: string;
  /** Units of the service. */
  units: number;
  /** The price of the units in credits. */
  credits: number;
  /** The method of the request. */
  method: string;
  /** The path of the request. */
  path: string;
  /** When the payment was started. */
  createdAt: Date;
  /** When the chain confirmed the payment; null until then. */
  settledAt: Date | null;
}

/** Selects payments of single requests. */
export interface RequestPaymentQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only payments with this status. */
  status?: 'done' | 'failed' | 'settled' | 'settling';
  /** Return only payments of this wallet. */
  payer?: EvmAddress;
}

/** A node, as the operator sees it. */
export interface OperatorNode {
  /** The id of the node in its present life. */
  id: string;
  /** Its address for other nodes; null for a single node. */
  address: string | null;
  /** Its roles. */
  roles: ('api' | 'media' | 'signaling')[];
  /** The release that it runs; null if it does not tell. */
  release: string | null;
  /** Its media load, 0 to 1: the fullest of its workers and its network. */
  load: number;
  /** The share of its cores in use, 0 to 1. Only of nodes with media. */
  cpu: number;
  /** The calls, rooms and streams whose media it holds; null for a single node. */
  rooms: number | null;
  /** Whether it is draining: it takes no new rooms, and hands over its own. */
  isDraining: boolean;
  /** When its present life began. */
  startedAt: Date;
  /** Its last heartbeat. */
  seenAt: Date;
}

/** The nodes of the installation, and what is going on now. */
export interface OperatorOverview {
  /** The living nodes, the oldest first. */
  nodes: OperatorNode[];
  /** What is going on in the whole cluster. */
  now: {
    /** Calls that ring. */
    ringing: number;
    /** Calls in progress. */
    calls: number;
    /** Open rooms. */
    rooms: number;
    /** Participants in rooms. */
    people: number;
    /** Live streams. */
    streams: number;
    /** The viewers of all streams, by SDK, WHEP and HLS together. */
    viewers: number;
  };
}

/** A warning or error in the log of a node. */
export interface OperatorError {
  /** Its number. */
  id: string;
  /** When it was logged. */
  at: Date;
  /** The node that logged it. */
  nodeId: string;
  /** How bad it is. */
  level: 'error' | 'fatal' | 'warn';
  /** What was logged. */
  message: string;
  /** The request that failed, as its error names it; null without one. */
  requestId: string | null;
  /** The kind and message of the error; null without one. */
  error: string | null;
}

/** Selects warnings and errors. */
export interface OperatorErrorsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only what was logged about this request. */
  requestId?: string;
}

/** An account, as the operator sees it. */
export interface OperatorAccount {
  id: string;
  /** Its wallet; null if it has none. */
  walletAddress: string | null;
  /** The email address of its linked identity; null if it has none. */
  email: string | null;
  /** Its balance. */
  credits: number;
  /** Credits reserved for running requests. */
  reserved: number;
  /** When it was created. */
  createdAt: Date;
  /** When an operator blocked it; null if it is not blocked. */
  blockedAt: Date | null;
  /** Why it was blocked; null if it is not blocked. */
  blockedFor: string | null;
}

/** Selects accounts. */
export interface OperatorAccountsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only the account with this wallet, id or email address. */
  find?: string;
  /** Return only accounts that are blocked (true) or not blocked (false). */
  blocked?: 'false' | 'true';
}

/** The credits to grant, and why. */
export interface CreditGrant {
  /** The credits to grant. */
  credits: number;
  /** Why. The account sees it in its history. */
  reason: string;
}

/** Why an account is blocked. */
export interface BlockReason {
  /** Why. Operators see it, and nobody else. */
  reason: string;
}

/** A way to sign in to an account: its wallet, or a user of an outside identity provider. */
export interface AccountIdentity {
  /** The id of the identity; `wallet` for the wallet. */
  id: string;
  /** A wallet, or a user of an identity provider (oidc). */
  type: 'oidc' | 'wallet';
  /** The address of the wallet; null for a user of an identity provider. */
  walletAddress: EvmAddress | null;
  /** `walletAddress`, or the CAIP-10 id of a contract wallet; null for a user of an identity provider. */
  walletId: Address | null;
  /** The issuer of the identity provider; null for a wallet. */
  issuer: string | null;
  /** The user's id at the provider; null for a wallet. */
  subject: string | null;
  /** The e-mail address the provider verified; null without one. */
  email: string | null;
  /** When the identity was linked to the account. */
  linkedAt: Date;
}

/** The proof of an identity to link: a wallet's signed message, or a provider's token. */
export type IdentityProof =
  | {
      /** The address of a wallet: 0x and 40 hexadecimal digits. Responses have the EIP-55 checksum. */
      walletAddress: string;
      /** The wallet’s signature of `message`. */
      signature: string;
      /** The signed EIP-4361 message, with a nonce from GET /auth/nonce. */
      message: string;
      /** Links a wallet. */
      type: 'wallet';
    }
  | {
      /** Links a user of the identity provider. */
      type: 'oidc';
      /** A token of the identity provider. */
      token: string;
    };

/** An archive with all data of the account. */
export interface AccountExport {
  /** `ready`: the archive can be downloaded. `expired`: it was deleted. */
  status: 'expired' | 'failed' | 'ready' | 'running';
  /** How many of its parts are in the archive. */
  done: number;
  /** How many parts the archive will have: subjects and media files. */
  total: number;
  /** The signed address of the archive (ZIP), which works for about an hour; null unless it is ready. */
  url: string | null;
  /** The size of the archive in bytes; null until it is ready. */
  size: number | null;
  /** When it was requested. */
  requestedAt: Date;
  /** When it was finished; null until then. */
  finishedAt: Date | null;
  /** When the archive is deleted; null until it is ready. */
  expiresAt: Date | null;
}

/** The requested deletion of an account. */
export interface AccountDeletion {
  /** When the deletion was requested. */
  requestedAt: Date;
  /** When the account will be deleted. Until then, POST /account/restore keeps it. */
  deletesAt: Date;
}

/** The proof that the person wants the account deleted: a wallet's signed message, or a provider's token. */
export type DeletionProof =
  | {
      /** The address of a wallet: 0x and 40 hexadecimal digits. Responses have the EIP-55 checksum. */
      walletAddress: string;
      /** The wallet’s signature of `message`. */
      signature: string;
      /** The signed EIP-4361 message, with a nonce from GET /auth/nonce. */
      message: string;
      /** A message signed by the wallet of the account. */
      type: 'wallet';
    }
  | {
      /** A fresh token of a linked user of the identity provider. */
      type: 'oidc';
      /** A token of the identity provider. */
      token: string;
    };

/** An API key, without its secret. */
export interface ApiKey {
  id: string;
  /** The name of the key. */
  name: string;
  /** `svc_live_` and six characters, which identify the key in lists and logs. */
  prefix: string;
  /** The last four characters of the secret. */
  last4: string;
  /** The scopes of the key. */
  scopes: KeyScope[];
  /** Whether the key was revoked. An expired key is `active` with `isExpired`. */
  status: 'active' | 'revoked';
  /** When it was created. */
  createdAt: Date;
  /** The wallet that created the key; the account's id if the account has no wallet. */
  createdBy: string;
  /** When the key expires; null if it never does. */
  expiresAt: Date | null;
  /** Whether the key is past `expiresAt` and rejected. `status` shows only whether it was revoked. */
  isExpired: boolean;
  /** Updated at most once a minute. */
  lastUsedAt: Date | null;
  /** The IP address it was last used from. */
  lastUsedIp: string | null;
  /** When the key was revoked; null if it was not. */
  revokedAt: Date | null;
  /** The wallet or account that revoked it. */
  revokedBy: string | null;
}

/** A new API key with its secret. The secret is shown only once. */
export interface CreatedApiKey {
  id: string;
  /** The name of the key. */
  name: string;
  /** `svc_live_` and six characters, which identify the key in lists and logs. */
  prefix: string;
  /** The last four characters of the secret. */
  last4: string;
  /** The scopes of the key. */
  scopes: KeyScope[];
  /** Whether the key was revoked. An expired key is `active` with `isExpired`. */
  status: 'active' | 'revoked';
  /** When it was created. */
  createdAt: Date;
  /** The wallet that created the key; the account's id if the account has no wallet. */
  createdBy: string;
  /** When the key expires; null if it never does. */
  expiresAt: Date | null;
  /** Whether the key is past `expiresAt` and rejected. `status` shows only whether it was revoked. */
  isExpired: boolean;
  /** Updated at most once a minute. */
  lastUsedAt: Date | null;
  /** The IP address it was last used from. */
  lastUsedIp: string | null;
  /** When the key was revoked; null if it was not. */
  revokedAt: Date | null;
  /** The wallet or account that revoked it. */
  revokedBy: string | null;
  /** The key itself. It is returned only in this response. */
  secret: string;
}

/** The API key to create. */
export interface NewApiKey {
  /** The name of the key, 1 to 64 characters. */
  name: string;
  /** Default: account:read, sms:send, numbers:read and numbers:buy. May be empty. */
  scopes?: KeyScope[];
  /** Days until the key expires. Default: never. */
  expiresInDays?: number;
}

/** A revoked API key, with the webhooks and endpoints that were set with it. */
export interface RevokedApiKey {
  id: string;
  /** The name of the key. */
  name: string;
  /** `svc_live_` and six characters, which identify the key in lists and logs. */
  prefix: string;
  /** The last four characters of the secret. */
  last4: string;
  /** The scopes of the key. */
  scopes: KeyScope[];
  /** Whether the key was revoked. An expired key is `active` with `isExpired`. */
  status: 'active' | 'revoked';
  /** When it was created. */
  createdAt: Date;
  /** The wallet that created the key; the account's id if the account has no wallet. */
  createdBy: string;
  /** When the key expires; null if it never does. */
  expiresAt: Date | null;
  /** Whether the key is past `expiresAt` and rejected. `status` shows only whether it was revoked. */
  isExpired: boolean;
  /** Updated at most once a minute. */
  lastUsedAt: Date | null;
  /** The IP address it was last used from. */
  lastUsedIp: string | null;
  /** When the key was revoked; null if it was not. */
  revokedAt: Date | null;
  /** The wallet or account that revoked it. */
  revokedBy: string | null;
  /** The webhooks of numbers set with this key. */
  webhooks: {
    numberId: string;
    /** The address that events are posted to. */
    url: string;
    /** Whether it was removed with the key. */
    isRemoved: boolean;
  }[];
  /** The webhook endpoints created or last changed with this key. */
  endpoints: {
    endpointId: string;
    /** The address that events are posted to. */
    url: string;
    /** Whether it was removed with the key. */
    isRemoved: boolean;
  }[];
}

/** The key that names the account's app in a browser. */
export interface PublishableKey {
  /** The key that names this account’s apps. It is not a secret. */
  publishableKey: string;
  /** When it was created. */
  createdAt: Date;
}

/** A row of the audit log. */
export interface AuditRow {
  id: string;
  /** When it happened. */
  at: Date;
  /** Who did it. */
  actor: {
    /** The kind of actor. */
    type: 'api_key' | 'operator' | 'session' | 'system' | 'x402';
    /** The id of the key or session. */
    id: string | null;
    /** The prefix of the key. */
    prefix: string | null;
    /** The wallet that paid for the request (x402). */
    payer: string | null;
  };
  /** What happened. */
  action:
    | 'account.blocked'
    | 'account.deletion_requested'
    | 'account.exported'
    | 'account.restored'
    | 'account.unblocked'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'api_key.rotated'
    | 'credits.granted'
    | 'credits.taken_back'
    | 'identity.linked'
    | 'identity.unlinked'
    | 'request'
    | 'session.created'
    | 'session.ended'
    | 'subscription.changed'
    | 'webhook.changed';
  /** The method of the request; null for other actions. */
  method: string | null;
  /** The path of the request, without its query. */
  path: string | null;
  /** The HTTP status of the response. */
  status: number | null;
  /** The id of the request. */
  requestId: string | null;
  /** The IP address it came from. */
  ip: string | null;
  /** The User-Agent header of the request. */
  userAgent: string | null;
  /** Credits it cost. */
  credits: number | null;
}

/** Selects rows of the audit log. */
export interface AuditQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only actions of this key. */
  keyPrefix?: string;
  /** Return only actions of this kind. */
  action?:
    | 'account.blocked'
    | 'account.deletion_requested'
    | 'account.exported'
    | 'account.restored'
    | 'account.unblocked'
    | 'api_key.created'
    | 'api_key.revoked'
    | 'api_key.rotated'
    | 'credits.granted'
    | 'credits.taken_back'
    | 'identity.linked'
    | 'identity.unlinked'
    | 'request'
    | 'session.created'
    | 'session.ended'
    | 'subscription.changed'
    | 'webhook.changed';
  /** `session_reads` leaves out what signed-in users read, such as the pages of the console. */
  hide?: 'session_reads';
  /** Start of the period: a day or a time, in UTC. */
  from?: string | Date;
  /** End of the period: a day or a time, in UTC. */
  to?: string | Date;
}

/** The options of requests that cost credits. */
export interface SpendOptions {
  /**
   * A key from newIdempotencyKey(). Within 24 hours, requests with the same key and body run only once, even if they come from different
   * processes. With another body, the request fails with VALIDATION_ERROR (`idempotency_key_reused`). @default a new key
   */
  idempotencyKey?: string;
}

/** A text to send from the pool. */
export interface NewText {
  /** A phone number in E.164: + and 7 to 15 digits. */
  to: string;
  /** The text, up to 1,600 characters. */
  message: string;
}

/** The price per segment of a text to a number, and whether the server sends texts to it. */
export interface TextRate {
  /** The number of the recipient. */
  to: string;
  /** null: the number belongs to no country. */
  country: string | null;
  /** Whether this server sends texts there. */
  supported: boolean;
  /** Credits per segment. */
  creditsPerSegment: number;
}

/** A queued text. */
export interface QueuedText {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The id of the text. GET /sms/{id} returns its current status. */
  id: string;
  /** The text is queued. */
  status: 'queued';
  /** The recipient. */
  to: string;
  /** The number of the pool that sends the text. */
  from: string;
  /** The number of segments. */
  segments: number;
  /** The encoding: GSM-7 has 160 characters per segment, UCS-2 (emoji, most scripts) 70. */
  encoding: 'GSM-7' | 'UCS-2';
  /** When the text was accepted. */
  createdAt: Date;
}

/** A sent or received text. */
export interface TextMessage {
  /** The id of the text. */
  id: string;
  /** The thread of the text. */
  threadId: string;
  /** Whether the text was received or sent. */
  direction: 'inbound' | 'outbound';
  /** The sender, in E.164 or as the network gives it. */
  from: string;
  /** The recipient, in E.164. */
  to: string;
  /** The text. */
  message: string;
  /** Addresses of images received with the text. */
  media: string[];
  /** The status of the text. */
  status: 'delivered' | 'failed' | 'queued' | 'received' | 'sending' | 'sent';
  /** The number of segments. The price is per segment. */
  segments: number;
  /** The encoding: GSM-7 has 160 characters per segment, UCS-2 (emoji, most scripts) 70. */
  encoding: 'GSM-7' | 'UCS-2';
  /** Credits the text cost. */
  credits: number;
  /** Why the text failed, for programs; null unless it failed. */
  errorCode: string | null;
  /** Why the text failed, for people; null unless it failed. */
  errorMessage: string | null;
  /** When the text was accepted or received. */
  createdAt: Date;
  /** When the text was passed to the carrier; null until then. */
  sentAt: Date | null;
  /** When the carrier reported delivery; null until then. */
  deliveredAt: Date | null;
}

/** A sent text, with the credits left in `balance`. */
export interface SentText {
  /** The id of the text. */
  id: string;
  /** The thread of the text. */
  threadId: string;
  /** Whether the text was received or sent. */
  direction: 'inbound' | 'outbound';
  /** The sender, in E.164 or as the network gives it. */
  from: string;
  /** The recipient, in E.164. */
  to: string;
  /** The text. */
  message: string;
  /** Addresses of images received with the text. */
  media: string[];
  /** The status of the text. */
  status: 'delivered' | 'failed' | 'queued' | 'received' | 'sending' | 'sent';
  /** The number of segments. The price is per segment. */
  segments: number;
  /** The encoding: GSM-7 has 160 characters per segment, UCS-2 (emoji, most scripts) 70. */
  encoding: 'GSM-7' | 'UCS-2';
  /** Credits the text cost. */
  credits: number;
  /** Why the text failed, for programs; null unless it failed. */
  errorCode: string | null;
  /** Why the text failed, for people; null unless it failed. */
  errorMessage: string | null;
  /** When the text was accepted or received. */
  createdAt: Date;
  /** When the text was passed to the carrier; null until then. */
  sentAt: Date | null;
  /** When the carrier reported delivery; null until then. */
  deliveredAt: Date | null;
  balance: number | null;
}

/** Selects received texts. */
export interface InboxQuery {
  /** Return only texts from this number, short code or name. */
  from?: string | Date;
  /** Return only texts since this day or time, in UTC. */
  since?: string | Date;
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
}

/** A text to send. `from` is one of the account's numbers. If it is left out, a number of the pool is used. */
export interface NewThreadMessage {
  /** The recipient, in E.164. */
  to: string;
  /** The text, up to 1,600 characters. */
  message: string;
  /** One of the account's numbers. Default: a number of the pool. */
  from?: string;
  /** Addresses of images to send with the text (MMS). */
  mediaUrls?: string[];
}

/** The texts between one of the account's numbers, or the pool, and another number. */
export interface MessageThread {
  /** The id of the thread. */
  id: string;
  /** The other party’s number, or what the network gives in its place. */
  counterparty: string;
  /** The account’s number, or a number of the pool. */
  number: string;
  /** The latest text of the thread. */
  lastMessage: {
    /** The id of the text. */
    id: string;
    /** Whether the text was received or sent. */
    direction: 'inbound' | 'outbound';
    /** The text. */
    message: string;
    /** When the text was accepted or received. */
    createdAt: Date;
  };
  /** The number of texts in the thread. */
  messageCount: number;
  /** Texts received since the thread was last read. */
  unreadCount: number;
  /** When the last text was sent or received. */
  updatedAt: Date;
}

/** A thread with one page of its texts, latest first. */
export interface MessageThreadPage {
  /** Whether another page follows. */
  hasMore: boolean;
  /** The `cursor` of the next page; null on the last page. */
  nextCursor: string | null;
  /** The thread. */
  thread: MessageThread;
  /** The texts of this page, newest first. */
  data: TextMessage[];
}

/** Selects threads. */
export interface ThreadQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only threads of this number of the account. */
  number?: string;
}

/** One of the account’s numbers. */
export interface PhoneNumber {
  /** The id of the number. */
  id: string;
  /** The number, in E.164. */
  phoneNumber: string;
  /** A country: two capital letters (ISO 3166-1). */
  country: string;
  /** State or city; null without one. */
  region: string | null;
  /** The type of the number. */
  type: 'local' | 'mobile' | 'toll_free';
  /** The capabilities of the number. */
  capabilities: {
    /** Whether it can send and receive texts. */
    sms: boolean;
    /** Whether it can send and receive images. */
    mms: boolean;
    /** Whether it can make calls. */
    voice: boolean;
  };
  /** The status of the number. */
  status: 'active' | 'expired' | 'pending' | 'released';
  /** Credits per month. */
  monthlyCredits: number;
  /** Whether the number is renewed automatically before it expires. */
  autoRenew: boolean;
  /** When the number was bought. */
  purchasedAt: Date;
  /** When the paid period ends. */
  expiresAt: Date;
  /** The webhook of the number; null without one. */
  webhook: {
    /** The address that its events are posted to. */
    url: string;
    /** The events that are posted. */
    events: (
      | 'message.delivered'
      | 'message.failed'
      | 'message.received'
      | 'message.sent'
      | 'number.activated'
      | 'number.expired'
      | 'number.expiring'
      | 'webhook.test'
    )[];
  } | null;
}

/** Selects numbers of the account. */
export interface NumberQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only numbers with this status. */
  status?: 'active' | 'expired' | 'pending' | 'released';
}

/** A number that can be bought. */
export interface AvailableNumber {
  /** The number, in E.164. */
  phoneNumber: string;
  /** A country: two capital letters (ISO 3166-1). */
  country: string;
  /** State or city; null without one. */
  region: string | null;
  /** The type of the number. */
  type: 'local' | 'mobile' | 'toll_free';
  /** The capabilities of the number. */
  capabilities: {
    /** Whether it can send and receive texts. */
    sms: boolean;
    /** Whether it can send and receive images. */
    mms: boolean;
    /** Whether it can make calls. */
    voice: boolean;
  };
  /** Credits per month. */
  monthlyCredits: number;
}

/** Selects numbers that can be bought. */
export interface AvailableQuery {
  /** A country: two capital letters (ISO 3166-1). */
  country: string;
  /** Return only numbers of this type. */
  type?: 'local' | 'mobile' | 'toll_free';
  /** Return only numbers with these digits after the country code. */
  areaCode?: string;
  limit?: number;
}

/** The number to buy. */
export interface NewNumber {
  /** A country: two capital letters (ISO 3166-1). */
  country: string;
  /** The type of the number. Default: the usual type of the country. */
  type?: 'local' | 'mobile' | 'toll_free';
  /** Up to six digits after the country code. */
  areaCode?: string;
  /** The number to buy. Default: any available number. */
  phoneNumber?: string;
  /** Default: sms. */
  capabilities?: ('mms' | 'sms' | 'voice')[];
  /** Whether the number is renewed automatically before it expires. */
  autoRenew?: boolean;
}

/** The number to buy in the United States. */
export interface NewUsNumber {
  /** The area code. */
  areaCode?: string;
  /** The number to buy. Default: any available number. */
  phoneNumber?: string;
  /** The type of the number. Default: local. */
  type?: 'local' | 'toll_free';
  /** Whether the number is renewed automatically before it expires. */
  autoRenew?: boolean;
}

/** The number to buy in another country. */
export interface NewForeignNumber {
  /** Any country except US. Numbers of the US are bought at /numbers/buy/us. */
  country: string;
  /** The type of the number. Default: the usual type of the country. */
  type?: 'local' | 'mobile' | 'toll_free';
  /** The number to buy. Default: any available number. */
  phoneNumber?: string;
  /** Whether the number is renewed automatically before it expires. */
  autoRenew?: boolean;
}

/** The order of a number. */
export interface NumberOrder {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The id of the order. */
  orderId: string;
  /** `pending`: read GET /numbers/buy/status for the result. */
  status: 'completed' | 'pending';
  /** The country of the number. */
  country: string;
  /** The type of the number. */
  type: 'local' | 'mobile' | 'toll_free';
  /** The ordered number, also while the order is pending. */
  phoneNumber: string | null;
  /** The number; null while the order is pending. */
  number: PhoneNumber | null;
  /** When it was ordered. */
  createdAt: Date;
}

/** The state of an order. */
export interface NumberOrderStatus {
  /** The id of the order. */
  orderId: string;
  /** The status of the order. Credits of failed orders are refunded (`refunded`). */
  status: 'completed' | 'failed' | 'pending' | 'processing' | 'refunded';
  /** The number; null until the order is completed. */
  number: PhoneNumber | null;
  /** Why the order failed; null unless it failed. */
  error: {
    /** The error code, for programs. */
    code: string;
    /** The error message, for people. */
    message: string;
  } | null;
  /** Credits the order costs. */
  credits: number;
  /** When it was ordered. */
  createdAt: Date;
  /** When it last changed. */
  updatedAt: Date;
}

/** Selects texts from and to the account’s numbers. */
export interface NumberMessagesQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only texts of this number of the account. */
  number?: string;
  /** Return only texts in this direction. */
  direction?: 'inbound' | 'outbound';
  /** Return only texts from or to this number, short code or name. */
  with?: string;
  /** Return only texts since this day or time, in UTC. */
  since?: string | Date;
}

/** A text to send from a number of the account. */
export interface NewNumberMessage {
  /** One of the account's numbers. Optional if the account has exactly one active number. */
  from?: string;
  /** The recipient. */
  to: string;
  /** The text, up to 1,600 characters. */
  message: string;
}

/** The number to renew, and for how long. */
export interface NumberRenewal {
  /** The id of the number. Either this or `phoneNumber`. */
  numberId?: string;
  /** The number, in E.164. Either this or `numberId`. */
  phoneNumber?: string;
  /** Months to add. Default: 1. */
  months?: number;
}

/** A renewed number, and what it cost. */
export interface RenewedNumber {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The renewed number. */
  number: PhoneNumber;
}

/** Names one of the account's numbers, by `numberId` or `phoneNumber`. */
export interface WhichNumber {
  /** The id of the number. Either this or `phoneNumber`. */
  numberId?: string;
  /** The number, in E.164. Either this or `numberId`. */
  phoneNumber?: string;
}

/** The webhook to set or remove. */
export interface NewWebhook {
  /** The id of the number. Either this or `phoneNumber`. */
  numberId?: string;
  /** The number, in E.164. Either this or `numberId`. */
  phoneNumber?: string;
  /** The address to post events to; null removes the webhook. */
  url: string | null;
  /** The events to post. Default: all. */
  events?: (
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'webhook.test'
  )[];
  /** true creates a new secret. For another day, events are signed with both the new and the previous secret. */
  rotateSecret?: boolean;
}

/** A webhook. It contains its `secret` only when that is new. */
export interface Webhook {
  /** The id of the number. */
  numberId: string;
  /** The address that events are posted to; null without a webhook. */
  url: string | null;
  /** The events that are posted. */
  events: (
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'webhook.test'
  )[];
  /** Returned only when it is new. */
  secret?: string;
  /** When the webhook was first set. */
  createdAt: Date;
  /** When the webhook was last set. */
  updatedAt: Date;
}

/** A webhook without its secret, and its state. */
export interface WebhookState {
  /** The id of the number. */
  numberId: string;
  /** The address that events are posted to; null without a webhook. */
  url: string | null;
  /** The events that are posted. */
  events: (
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'webhook.test'
  )[];
  /** When the webhook was first set. */
  createdAt: Date;
  /** When the webhook was last set. */
  updatedAt: Date;
  /** When the webhook was disabled because it answered 410. It gets no events until it is set again. */
  disabledAt: Date | null;
  /** The time until which events are signed with the previous secret too; null if there is none. */
  previousSecretUntil: Date | null;
  /** The API key that last set the webhook; null if a session did, or if it was set before the server stored this. */
  setByKey: {
    id: string;
    /** The first characters of the key, which identify it in lists and logs. */
    prefix: string;
    /** Whether the key was revoked. */
    status: 'active' | 'revoked';
  } | null;
}

/** The endpoint to create. */
export interface NewEndpoint {
  /** The address to post events to. */
  url: string;
  /** The events to post. Default: all. */
  events?: (
    | 'call.answered'
    | 'call.ended'
    | 'call.missed'
    | 'call.ringing'
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'participant.joined'
    | 'participant.left'
    | 'participant.updated'
    | 'recording.failed'
    | 'recording.ready'
    | 'room.ended'
    | 'room.started'
    | 'stream.ended'
    | 'stream.idle'
    | 'stream.live'
    | 'webhook.test'
  )[];
  /** What the endpoint is for, up to 200 characters. */
  description?: string;
}

/** What to change of an endpoint. */
export interface EndpointChange {
  /** The address to post events to. */
  url?: string;
  /** The events to post. Default: unchanged. */
  events?: (
    | 'call.answered'
    | 'call.ended'
    | 'call.missed'
    | 'call.ringing'
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'participant.joined'
    | 'participant.left'
    | 'participant.updated'
    | 'recording.failed'
    | 'recording.ready'
    | 'room.ended'
    | 'room.started'
    | 'stream.ended'
    | 'stream.idle'
    | 'stream.live'
    | 'webhook.test'
  )[];
  /** What the endpoint is for, up to 200 characters. */
  description?: string;
  /** true creates a new secret. For another day, events are signed with both the new and the previous secret. */
  rotateSecret?: boolean;
  /** true gives up the queued deliveries, and queues none until `false`. */
  disabled?: boolean;
}

/** A webhook endpoint of the account. It contains its `secret` only when that is new. */
export interface WebhookEndpoint {
  /** The id of the endpoint. */
  id: string;
  /** The address that events are posted to. */
  url: string;
  /** The events that are posted. */
  events: (
    | 'call.answered'
    | 'call.ended'
    | 'call.missed'
    | 'call.ringing'
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'participant.joined'
    | 'participant.left'
    | 'participant.updated'
    | 'recording.failed'
    | 'recording.ready'
    | 'room.ended'
    | 'room.started'
    | 'stream.ended'
    | 'stream.idle'
    | 'stream.live'
    | 'webhook.test'
  )[];
  /** What the endpoint is for. */
  description: string;
  /** Returned only when it is new. */
  secret?: string;
  /** When it was disabled, by a request or because it answered 410; null if it is enabled. */
  disabledAt: Date | null;
  previousSecretUntil: Date | null;
  /** The API key that created or last changed it; null if a session did. */
  setByKey: {
    id: string;
    /** The first characters of the key, which identify it in lists and logs. */
    prefix: string;
    /** Whether the key was revoked. */
    status: 'active' | 'revoked';
  } | null;
  /** When it was created. */
  createdAt: Date;
  /** When it was last changed. */
  updatedAt: Date;
}

/** An event for an endpoint, with the state of its delivery. */
export interface EndpointDelivery {
  /** `failed`: there are no further attempts. */
  status: 'delivered' | 'delivering' | 'failed' | 'pending';
  /** The number of finished attempts. */
  attempts: number;
  /** The HTTP status of the last attempt; null without a response. */
  responseStatus: number | null;
  /** The first kilobyte of the last response. */
  responseBody: string | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** The time of the last attempt; null without one. */
  lastAttemptAt: Date | null;
  /** When the event was delivered, or when its last attempt failed; null while it is pending. */
  settledAt: Date | null;
  /** The id of the delivery. */
  id: string;
  /** The id of the endpoint. */
  endpointId: string;
  /** The webhook-id header: the same for every attempt, endpoint and replay. */
  eventId: string;
  /** The type of the event. */
  type:
    | 'call.answered'
    | 'call.ended'
    | 'call.missed'
    | 'call.ringing'
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'participant.joined'
    | 'participant.left'
    | 'participant.updated'
    | 'recording.failed'
    | 'recording.ready'
    | 'room.ended'
    | 'room.started'
    | 'stream.ended'
    | 'stream.idle'
    | 'stream.live'
    | 'webhook.test';
  /** The body of the request: the event as JSON, with the same bytes for every attempt. */
  requestBody: string;
  /** When the delivery was queued. */
  createdAt: Date;
  /** The time of the next attempt; null if there is none, or while an earlier event of the same subject is pending. */
  nextAttemptAt: Date | null;
}

/** Selects the deliveries to an endpoint. */
export interface EndpointDeliveryQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only deliveries with this status. */
  status?: 'delivered' | 'delivering' | 'failed' | 'pending';
}

/** Selects events of the account. */
export interface AccountEventQuery {
  /** Return the events after this one: the last one that you know. Default: from the first one. */
  after?: string;
  /** `oldest` first, or `latest` first, where `after` continues with older ones. Default: `oldest`. */
  order?: 'latest' | 'oldest';
  /** Return only events of this type. */
  type?:
    | 'call.answered'
    | 'call.ended'
    | 'call.missed'
    | 'call.ringing'
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'participant.joined'
    | 'participant.left'
    | 'participant.updated'
    | 'recording.failed'
    | 'recording.ready'
    | 'room.ended'
    | 'room.started'
    | 'stream.ended'
    | 'stream.idle'
    | 'stream.live'
    | 'webhook.test';
  /** Return only the events of this room, stream or call. */
  subjectId?: string;
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
}

/** A room in the data of an event. */
export interface EventRoom {
  /** The id of the room. */
  id: string;
  /** The name of the room. */
  name: string;
  /** The room that this one is a breakout of; null if it is none. */
  parentId: string | null;
  /** The state of the room. */
  status: RoomStatus;
  /** When the room was created. */
  createdAt: Date;
  /** When the first participant joined; null before. */
  startedAt: Date | null;
  /** When the room ended; null before. */
  endedAt: Date | null;
  /** `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`. */
  endReason: string | null;
}

/** A participant in the data of an event. */
export interface EventParticipant {
  /** The id of the participant. It is new each time a party enters. */
  id: string;
  /** The id of the room. */
  roomId: string;
  /** The identity in the participant token of a guest; otherwise the wallet. */
  identity: string;
  /** The wallet; null for a guest. */
  walletAddress: Address | null;
  /** Whether it joined with a participant token. */
  isGuest: boolean;
  /** The name shown to the others; null without one. */
  displayName: string | null;
  /** The role. */
  role: ParticipantRole;
  /** The metadata in the participant token; null without one. */
  metadata: string | null;
  /** null for a wallet, which may do everything that its role allows. */
  grants: Grants | null;
  /** Whether the microphone is on. */
  audio: boolean;
  /** Whether the camera is on. */
  video: boolean;
  /** Whether the screen is shared. */
  screen: boolean;
  /** Whether the participant asks to speak. */
  handRaised: boolean;
  /** When the participant entered. */
  joinedAt: Date;
}

/** A stream in the data of an event. */
export interface EventStream {
  /** The id of the stream. */
  id: string;
  /** The title. */
  title: string;
  /** The state: `idle` until it is live for the first time, `live`, `ended`. */
  status: StreamStatus;
  /** Whether the publisher sends media. */
  isSending: boolean;
  /** When the stream was created. */
  createdAt: Date;
  /** When it was live for the first time; null before. */
  startedAt: Date | null;
  /** When it ended; null before. */
  endedAt: Date | null;
  /** Why it ended: `ended` (by its host), `gone` (its publisher). */
  endReason: string | null;
}

/** A recording in the data of an event. */
export interface EventRecording {
  /** The id of the recording. */
  id: string;
  /** What was recorded. */
  kind: 'call' | 'conference' | 'stream';
  /** The id of the room, stream or call. */
  roomId: string;
  /** The title of the stream or room; empty for a call. */
  title: string;
  /** The state: `recording`, `processing`, `ready`, `failed`. */
  status: RecordingStatus;
  /** When it was started. */
  startedAt: Date;
  /** When it ended. */
  endedAt: Date | null;
  /** Why it ended or failed. */
  endReason: string | null;
  /** The duration in seconds; null until it is ready. */
  durationSeconds: number | null;
  /** The size of all files; null until it is ready. */
  sizeBytes: number | null;
}

/** A call in the data of an event. */
export interface EventCall {
  /** The id of the call. */
  id: string;
  /** The caller. */
  from: Address;
  /** The callee. */
  to: Address;
  /** The type of the call. */
  type: CallType;
  /** The state of the call. */
  status: CallStatus;
  /** When it began to ring. */
  startedAt: Date;
  /** When it was answered; null if it was not. */
  answeredAt: Date | null;
  /** When it ended; null before. */
  endedAt: Date | null;
  /** Why it ended. */
  endReason: string | null;
}

/** An event of the account. `type` determines the type of `data`. */
export type AccountEvent =
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'room.ended' | 'room.started';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'participant.joined' | 'participant.updated';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'participant.left';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'stream.ended' | 'stream.idle' | 'stream.live';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'recording.failed' | 'recording.ready';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'call.answered' | 'call.ended' | 'call.missed' | 'call.ringing';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'message.delivered' | 'message.failed' | 'message.received' | 'message.sent';
      /** The event belongs to no room, stream or call. */
      subjectId: null;
      /** The event belongs to no room, stream or call. */
      sequence: null;
      /** What the event is about, as it was then. */
      data: TextMessage;
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'number.activated' | 'number.expired' | 'number.expiring';
      /** The event belongs to no room, stream or call. */
      subjectId: null;
      /** The event belongs to no room, stream or call. */
      sequence: null;
      /** What the event is about, as it was then. */
      data: PhoneNumber;
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'webhook.test';
      /** The event belongs to no room, stream or call. */
      subjectId: null;
      /** The event belongs to no room, stream or call. */
      sequence: null;
      /** What the event is about, as it was then. */
      data: {
        /** The id of the endpoint. */
        endpointId: string;
      };
    };

/** One page of the events of the account. `nextAfter` is the `after` of the next page, also later, when there are new events. */
export interface AccountEventPage {
  /** The events of this page, in the order that was asked for. */
  data: AccountEvent[];
  /** Whether more events follow already. */
  hasMore: boolean;
  /** The `after` of the next page, also later, when there are new events; null if there is none. */
  nextAfter: string | null;
}

/** The body of a webhook request. `type` determines the type of `data`. */
export type WebhookEvent =
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'room.ended' | 'room.started';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'participant.joined' | 'participant.updated';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'participant.left';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'stream.ended' | 'stream.idle' | 'stream.live';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'recording.failed' | 'recording.ready';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      /** The webhook-id header: the same for every attempt, endpoint and replay. */
      id: string;
      /** When the event happened. */
      timestamp: Date;
      /** The type of the event. */
      type: 'call.answered' | 'call.ended' | 'call.missed' | 'call.ringing';
      /** The id of the room, stream or call. */
      subjectId: string;
      /** The number of the event in its room, stream or call: 1, 2, 3, … without gaps. */
      sequence: number;
      /** What the event is about, as it was then. */
      data:
        | {
            /** The room. */
            room: EventRoom;
          }
        | {
            /** The stream. */
            stream: EventStream;
          }
        | {
            /** The recording. */
            recording: EventRecording;
          }
        | {
            /** The call. */
            call: EventCall;
          };
    }
  | {
      type: 'webhook.test';
      timestamp: Date;
      data: {
        numberId?: string;
        phoneNumber?: string;
        endpointId?: string;
      };
      id?: string;
      subjectId?: string | null;
      sequence?: number | null;
    }
  | {
      type: 'number.activated' | 'number.expired' | 'number.expiring';
      timestamp: Date;
      data: PhoneNumber;
      id?: string;
      subjectId?: string | null;
      sequence?: number | null;
    }
  | {
      type: 'message.delivered' | 'message.failed' | 'message.received' | 'message.sent';
      timestamp: Date;
      data: TextMessage;
      id?: string;
      subjectId?: string | null;
      sequence?: number | null;
    };

/** An event for a webhook, with the state of its delivery. */
export interface WebhookDelivery {
  /** The webhook-id header: the same for every attempt. */
  id: string;
  /** The id of the number. */
  numberId: string;
  /** The type of the event. */
  type:
    | 'message.delivered'
    | 'message.failed'
    | 'message.received'
    | 'message.sent'
    | 'number.activated'
    | 'number.expired'
    | 'number.expiring'
    | 'webhook.test';
  /** `failed`: there are no further attempts. */
  status: 'delivered' | 'delivering' | 'failed' | 'pending';
  /** The number of finished attempts. */
  attempts: number;
  /** The HTTP status of the last attempt; null without a response. */
  responseStatus: number | null;
  /** The first kilobyte of the last response. */
  responseBody: string | null;
  /** Why the last attempt failed. */
  error: string | null;
  /** When the event happened. */
  createdAt: Date;
  /** The time of the last attempt; null without one. */
  lastAttemptAt: Date | null;
  /** The time of the next attempt; null if there is none. */
  nextAttemptAt: Date | null;
  /** When the event was delivered, or when its last attempt failed; null while it is pending. */
  settledAt: Date | null;
}

/** Selects webhook deliveries. */
export interface WebhookDeliveryQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** The id of the number. Either this or `phoneNumber`. */
  numberId?: string;
  /** The number, in E.164. Either this or `numberId`. */
  phoneNumber?: string;
  /** Return only deliveries with this status. */
  status?: 'delivered' | 'delivering' | 'failed' | 'pending';
}

/** The number to look up. */
export interface LookupQuestion {
  /** A phone number in any notation. An invalid one is answered with `valid: false`. */
  phoneNumber: string;
  /** The country to assume for a number without a country code. */
  country?: string;
  /** The fields to look up. Default: carrier and line type. */
  fields?: ('callerName' | 'carrier' | 'lineType')[];
}

/** What is known about a number. */
export interface LookupAnswer {
  /** The number in E.164; an invalid number as it was given. */
  phoneNumber: string;
  /** Whether the number can exist. */
  valid: boolean;
  /** Why the number is invalid. */
  validationErrors: string[];
  /** Its country (ISO 3166-1). */
  countryCode: string | null;
  /** The calling code of the country. */
  callingCode: string | null;
  /** The number in the notation of its country. */
  nationalFormat: string | null;
  /** The type of line. */
  lineType: 'fixed_voip' | 'landline' | 'mobile' | 'non_fixed_voip' | 'toll_free' | 'unknown';
  /** The network; null if unknown. */
  carrier: {
    /** The name of the network. */
    name: string;
    /** The mobile country code. */
    mcc: string | null;
    /** The mobile network code. */
    mnc: string | null;
  } | null;
  /** The name the network shows for the number; null if unknown. */
  callerName: string | null;
  /** Credits the look-up cost; 0 for an invalid number. */
  credits: number;
}

/** What to search the breaches for. */
export interface LeakQuestion {
  /** The text to search for. */
  query: string;
  /** The type of `query`. For a password, `query` is the first five digits of its SHA-1. */
  type: 'domain' | 'email' | 'password_sha1_prefix' | 'phone' | 'username';
}

/** The breaches that contain the query. */
export interface FoundLeaks {
  /** The query. */
  query: {
    /** The type of the query. */
    type: 'domain' | 'email' | 'password_sha1_prefix' | 'phone' | 'username';
    /** The query with its middle masked. */
    masked: string;
  };
  /** Whether the query is in any breach. */
  found: boolean;
  /** The number of breaches. */
  total: number;
  /** The breaches. */
  results: {
    /** The source of this result. */
    source: string;
    /** The name of the breach; for a password, the rest of the SHA-1. */
    title: string;
    /** The site that was breached. */
    domain: string | null;
    /** The date of the breach. */
    breachDate: string | null;
    /** The kinds of leaked data: e-mail addresses, passwords … */
    dataClasses: string[];
    /** Whether the source verified the breach. */
    verified: boolean;
    /** The number of leaked records. */
    records: number | null;
  }[];
  /** The time of the search. */
  searchedAt: Date;
}

/** The breaches that contain the query, and what the search cost. */
export interface BoughtLeaks {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The query. */
  query: {
    /** The type of the query. */
    type: 'domain' | 'email' | 'password_sha1_prefix' | 'phone' | 'username';
    /** The query with its middle masked. */
    masked: string;
  };
  /** Whether the query is in any breach. */
  found: boolean;
  /** The number of breaches. */
  total: number;
  /** The breaches. */
  results: {
    /** The source of this result. */
    source: string;
    /** The name of the breach; for a password, the rest of the SHA-1. */
    title: string;
    /** The site that was breached. */
    domain: string | null;
    /** The date of the breach. */
    breachDate: string | null;
    /** The kinds of leaked data: e-mail addresses, passwords … */
    dataClasses: string[];
    /** Whether the source verified the breach. */
    verified: boolean;
    /** The number of leaked records. */
    records: number | null;
  }[];
  /** The time of the search. */
  searchedAt: Date;
}

/** A package of mobile data. */
export interface EsimPackage {
  /** The id of the package. */
  id: string;
  /** The name of the package. */
  title: string;
  /** The countries it works in (ISO 3166-1). */
  countries: string[];
  /** null: unlimited. */
  dataMegabytes: number | null;
  /** Days it can be used. */
  validDays: number;
  /** Credits for one eSIM. */
  credits: number;
  /** Whether it can be bought now. */
  available: boolean;
}

/** Selects packages. */
export interface EsimPackageQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Return only packages for this country. */
  country?: string;
}

/** The package to buy. */
export interface EsimCheckout {
  /** The id of a package from GET /esim/packages. */
  packageId: string;
  /** The number of eSIMs. */
  quantity?: number;
  /** An e-mail address the provider also sends the eSIM to, if it sends e-mail. */
  email?: string;
  /** Return the price (`quotedCredits`) without buying. */
  dryRun?: boolean;
}

/** A purchase of eSIMs, or its price. */
export interface EsimPurchase {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The id of the package. */
  packageId: string;
  /** The number of eSIMs. */
  quantity: number;
  /** The eSIMs; empty until the order is completed. */
  esims: {
    /** The serial number of the eSIM. */
    iccid: string;
    /** The SM-DP+ server the eSIM is installed from. */
    smdpAddress: string;
    /** The code that identifies the eSIM on that server. */
    matchingId: string;
    /** `LPA:1$…$…` */
    activationCode: string;
    /**
     * A PNG of the activation code. Anyone with this address can install the eSIM. It expires after a day; reading the order returns
     * a new one.
     */
    qrCodeUrl: string | null;
    /** A link that installs the eSIM on an iPhone; null if the provider has none. */
    appleInstallUrl: string | null;
  }[];
  /** null for a dry run. */
  orderId: string | null;
  /** `pending`: the provider has not answered yet. Read the order for the result. */
  status: 'completed' | 'dry_run' | 'pending';
  /** The price in credits. */
  quotedCredits: number;
  /** When it was ordered. */
  createdAt: Date;
}

/** An order of eSIMs. */
export interface EsimOrder {
  /** The id of the package. */
  packageId: string;
  /** The number of eSIMs. */
  quantity: number;
  /** The eSIMs; empty until the order is completed. */
  esims: {
    /** The serial number of the eSIM. */
    iccid: string;
    /** The SM-DP+ server the eSIM is installed from. */
    smdpAddress: string;
    /** The code that identifies the eSIM on that server. */
    matchingId: string;
    /** `LPA:1$…$…` */
    activationCode: string;
    /**
     * A PNG of the activation code. Anyone with this address can install the eSIM. It expires after a day; reading the order returns
     * a new one.
     */
    qrCodeUrl: string | null;
    /** A link that installs the eSIM on an iPhone; null if the provider has none. */
    appleInstallUrl: string | null;
  }[];
  /** The id of the order. */
  orderId: string;
  /** The status of the order. Credits of failed orders are refunded. */
  status: 'completed' | 'failed' | 'pending';
  /** Why the order failed; null unless it failed. */
  error: {
    /** The error code, for programs. */
    code: string;
    /** The error message, for people. */
    message: string;
  } | null;
  /** Credits it cost. */
  credits: number;
  /** When it was ordered. */
  createdAt: Date;
  /** When it last changed. */
  updatedAt: Date;
}

/** Selects orders. */
export interface EsimOrdersQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
}

/** Where to send a code, and how. */
export interface NewVerification {
  /** A phone number in E.164: + and 7 to 15 digits. */
  to: string;
  /** How the code is sent. */
  channel?: 'call' | 'sms';
  /** The language of the text. */
  locale?: string;
  /** The number of digits of the code. */
  codeLength?: number;
}

/** A verification whose code has been sent. */
export interface StartedVerification {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The id of the verification, for checking the code. */
  id: string;
  /** The recipient of the code. */
  to: string;
  /** How the code is sent. */
  channel: 'call' | 'sms';
  /** The code has not been entered yet. */
  status: 'pending';
  /** When the code expires. */
  expiresAt: Date;
  /** Attempts that are left. */
  attemptsRemaining: number;
}

/** The code that the user has entered. */
export interface VerificationGuess {
  /** The id of the verification. Either this or `to`. */
  id?: string;
  /** The number whose latest verification is meant. Either this or `id`; without a credential, `id`. */
  to?: string;
  /** The code that was entered. */
  code: string;
}

/** Whether the code was correct. */
export interface CheckedVerification {
  /** The id of the verification. */
  id: string;
  /** `approved` once the correct code was entered. */
  status: 'approved' | 'pending';
  /** Whether this code was correct. */
  valid: boolean;
  /** Attempts that are left. */
  attemptsRemaining: number;
}

/** The XMPP account to create. */
export interface NewXmppAccount {
  /** The name of the account. Default: a generated name. */
  username?: string;
  /** The account’s number that texts are sent from. */
  numberId?: string;
}

/** A new XMPP account. `password` is shown only once. */
export interface XmppAccount {
  /** Credits this request cost. */
  credits: number;
  /** Credits left after this request; null for a request paid by x402. */
  balance: number | null;
  /** The address of the XMPP account. */
  jid: string;
  /** The name of the XMPP account. */
  username: string;
  /** The domain of the XMPP server. */
  domain: string;
  /** Returned only in this response. */
  password: string;
  /** The server to connect to. */
  host: string;
  /** The port of the server (STARTTLS). */
  port: 5222;
  /** The address for XMPP over WebSocket; null if the server has none. */
  websocketUrl: string | null;
  /** The domain of the SMS gateway; null without one. To send a text, write to <number>@<domain>. */
  smsGateway: string | null;
  /** The number that texts are sent from; null without one. */
  numberId: string | null;
  /** When it was created. */
  createdAt: Date;
}

/** The room to create. */
export interface NewBackendRoom {
  /** The name, 1 to 100 characters. */
  name: string;
  /** @default 100 */
  maxParticipants?: number;
  /** Whether the room allows cameras. Default: true. */
  video?: boolean;
  /** Whether the room allows audio. Default: true. */
  audio?: boolean;
  /** The settings of the room. */
  settings?: {
    locked?: boolean;
    waitingRoom?: boolean;
    muteOnEntry?: boolean;
    allowScreenShare?: boolean;
    allowChat?: boolean;
    record?: boolean;
    codec?: 'vp8' | 'vp9';
    emptyTimeout?: number;
    maxDuration?: number | null;
  };
  /** @default null: no gate */
  gate?: GateConfig | null;
  /** The network on whose chains the gate is checked: `mainnet` or `testnet`. Default: that of the session; `mainnet` for an API key. */
  network?: Network;
}

/** What changes in a room. What is left out stays as it is. */
export interface BackendRoomChanges {
  /** The name, 1 to 100 characters. */
  name?: string;
  /** The maximum number of participants, 2 to 1,000. With a lower one than now, nobody is removed. */
  maxParticipants?: number;
  /** Whether the room allows cameras. Without, those that are on are closed. */
  video?: boolean;
  /** Whether the room allows audio. Without, what is sent is closed. */
  audio?: boolean;
  /** The settings to change. The others stay as they are. */
  settings?: {
    /** Only invited wallets, and guests with a participant token, may join. */
    locked?: boolean;
    /** Wallets without an invitation wait until a host admits them. */
    waitingRoom?: boolean;
    /** Participants enter muted; hosts do not. */
    muteOnEntry?: boolean;
    /** Whether participants who are not hosts may share their screen. */
    allowScreenShare?: boolean;
    /** Whether participants who are not hosts may write in the chat. */
    allowChat?: boolean;
    /** Record the room from the first join. The recording belongs to the room’s creator, and all participants are notified. */
    record?: boolean;
    /** The camera codec. VP8 and H264 are allowed in every room, since every browser decodes them; VP9 only if it is set here. */
    codec?: 'vp8' | 'vp9';
    /** How many seconds the room stays open after the last participant has left: 1 to 604,800. */
    emptyTimeout?: number;
    /** How many seconds the room stays open after the first join: 1 to 604,800, or null for no limit. */
    maxDuration?: number | null;
  };
}

/** A room of the account. */
export interface BackendRoom {
  /** The id of the room. */
  id: string;
  /** The name of the room. */
  name: string;
  /** The room that this one is a breakout of; null if it is none. */
  parentId: string | null;
  /** The state of the room. */
  status: RoomStatus;
  /** When the room was created. */
  createdAt: Date;
  /** When the first participant joined; null before. */
  startedAt: Date | null;
  /** When the room ended; null before. */
  endedAt: Date | null;
  /** `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`. */
  endReason: string | null;
  /** The host: the wallet of your account, or `account:…` if it has none. */
  host: PartyId;
  network: Network;
  /** The maximum number of participants at a time. */
  maxParticipants: number;
  /** The number of participants now. */
  participantCount: number;
  /** Whether the room allows cameras. */
  video: boolean;
  /** Whether the room allows audio. */
  audio: boolean;
  /** The settings. */
  settings: RoomSettings;
  /** The condition that wallets must meet to enter; null without one. */
  gate: Gate | null;
  /** Who records the room; null if it is not recorded. */
  recordedBy: PartyId | null;
  /** The address of a page for joining the room with a wallet. */
  url: string;
}

/** A room of the account with its participants, in short. */
export interface BackendRoomWithParticipants {
  /** The id of the room. */
  id: string;
  /** The name of the room. */
  name: string;
  /** The room that this one is a breakout of; null if it is none. */
  parentId: string | null;
  /** The state of the room. */
  status: RoomStatus;
  /** When the room was created. */
  createdAt: Date;
  /** When the first participant joined; null before. */
  startedAt: Date | null;
  /** When the room ended; null before. */
  endedAt: Date | null;
  /** `ended` (by a host), `empty`, `max_duration`, `breakouts_ended`. */
  endReason: string | null;
  /** The host: the wallet of your account, or `account:…` if it has none. */
  host: PartyId;
  network: Network;
  /** The maximum number of participants at a time. */
  maxParticipants: number;
  /** The number of participants now. */
  participantCount: number;
  /** Whether the room allows cameras. */
  video: boolean;
  /** Whether the room allows audio. */
  audio: boolean;
  /** The settings. */
  settings: RoomSettings;
  /** The condition that wallets must meet to enter; null without one. */
  gate: Gate | null;
  /** Who records the room; null if it is not recorded. */
  recordedBy: PartyId | null;
  /** The address of a page for joining the room with a wallet. */
  url: string;
  /** The participants, in the order in which they entered. */
  participants: {
    /** The id of the participant. It is new each time a party enters. */
    id: string;
    /** The identity in the participant token of a guest; otherwise the wallet. */
    identity: string;
    /** Whether it joined with a participant token. */
    isGuest: boolean;
    /** The name shown to the others; null without one. */
    displayName: string | null;
    /** The role. */
    role: ParticipantRole;
  }[];
}

/** Selects rooms of the account. */
export interface BackendRoomsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Only rooms in this state: `waiting`, `active` or `ended`. Default: rooms that have not ended. */
  status?: RoomStatus;
}

/** A participant as backends see it. */
export interface BackendParticipant {
  /** The id of the participant. It is new each time a party enters. */
  id: string;
  /** The id of the room. */
  roomId: string;
  /** The identity in the participant token of a guest; otherwise the wallet. */
  identity: string;
  /** The wallet; null for a guest. */
  walletAddress: Address | null;
  /** Whether it joined with a participant token. */
  isGuest: boolean;
  /** The name shown to the others; null without one. */
  displayName: string | null;
  /** The role. */
  role: ParticipantRole;
  /** The metadata in the participant token; null without one. */
  metadata: string | null;
  /** null for a wallet, which may do everything that its role allows. */
  grants: Grants | null;
  /** Whether the microphone is on. */
  audio: boolean;
  /** Whether the camera is on. */
  video: boolean;
  /** Whether the screen is shared. */
  screen: boolean;
  /** Whether the participant asks to speak. */
  handRaised: boolean;
  /** When the participant entered. */
  joinedAt: Date;
}

/** Selects participants. */
export interface BackendParticipantsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** A guest's identity, a wallet's address. */
  identity?: string;
}

/** What changes in a participant, until it leaves. What is left out stays as it is. */
export interface ParticipantChanges {
  /** The role. A participant who becomes a `viewer` stops sending at once. */
  role?: ParticipantRole;
  /** The name shown to the others, 1 to 64 characters. */
  displayName?: string;
  /** Your own text about the participant, up to 4,096 bytes; null for none. */
  metadata?: string | null;
  /** What a guest may do; those that are left out stay. What is no longer granted ends at once. Wallets have no grants. */
  grants?: {
    /** The sources that the guest may publish. The audio of a screen needs `screen`. */
    canPublish?: Publishable[];
    /** Whether the guest receives the media of the others. */
    canSubscribe?: boolean;
    /** Whether the guest may write in the chat. */
    canChat?: boolean;
    /** Whether the guest may send data. */
    canSendData?: boolean;
  };
}

/** The breakouts to create in a room of the account. */
export interface NewBackendBreakouts {
  /** The breakouts, up to 50. */
  rooms: {
    /** The name of the breakout. */
    name: string;
    /** The participants of the room who are moved into this breakout. */
    participantIds?: string[];
  }[];
  /** After how many seconds all breakouts end, 1 to 86,400. Without it, a host ends them. */
  durationSeconds?: number;
}

/** The message to write in the chat of a room. */
export interface NewRoomMessage {
  /** The text, 1 to 2,000 characters. */
  content: string;
  /** The name shown as that of the sender. Default: none. */
  displayName?: string;
}

/** A message in the chat of a room, as backends see it. */
export interface RoomMessage {
  /** The id of the message. */
  id: string;
  /** The id of the room. */
  roomId: string;
  /** The identity of the sender: that in the participant token of a guest, a wallet, or `account:…`. */
  identity: string;
  /** Whether the sender joined with a participant token. */
  isGuest: boolean;
  /** The name of the sender; null without one. */
  displayName: string | null;
  /** The text. */
  content: string;
  /** When it was sent. */
  sentAt: Date;
}

/** Whether a room is recorded, and its latest recording. */
export interface RoomRecordingState {
  /** Whether the room is being recorded now. */
  isRecording: boolean;
  /** Who records it; null if nobody does. */
  recordedBy: PartyId | null;
  /** The latest recording of the room that belongs to your account; null if there is none. */
  recording: EventRecording | null;
}

/** The participant token to create for a room. */
export interface NewRoomToken {
  /** The identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`. */
  identity: string;
  /** The name shown to the others. @default the identity */
  displayName?: string;
  /** Your own text about the guest. @default none */
  metadata?: string;
  /** How long the token can be used to enter, in seconds. @default 3,600 */
  expiresInSeconds?: number;
  /** @default 'participant' */
  role?: ParticipantRole;
  /** The sources that the guest may publish. Default: all. */
  canPublish?: Publishable[];
  canSubscribe?: boolean;
  canChat?: boolean;
  canSendData?: boolean;
}

/** The quality of the media in a room or call, and what was wrong with it. */
export interface KeptQuality {
  /** The room or call. */
  id: string;
  /** The participants whose devices reported something. */
  participants: {
    walletAddress: PartyId;
    /** Its reports, oldest first. */
    samples: {
      /** How the media reaches the server; null while it is not connected. */
      path: MediaPath | null;
      /** The round trip between device and server, in milliseconds. */
      roundTripMs: number | null;
      /** What the device sent; null if it sent nothing. */
      sending: {
        /** What the device sent, in kbit/s. */
        kbps: number;
        /** The bandwidth that the browser estimates, in kbit/s. */
        availableKbps: number | null;
        /** Lost packets, in percent. */
        lossPercent: number | null;
        /** Jitter, in milliseconds. */
        jitterMs: number | null;
        /** How many layers of video the device sent. */
        layers: number;
        /** The height of the largest video that it sent, in pixels. */
        height: number | null;
        /** Its frames per second. */
        fps: number | null;
        /** What made the browser send less than it wanted. */
        limitedBy: 'bandwidth' | 'cpu' | 'none' | 'other' | null;
      } | null;
      /** What the device received; null if it received nothing. */
      receiving: {
        /** What the device received, in kbit/s. */
        kbps: number;
        /** Lost packets, in percent. */
        lossPercent: number | null;
        /** Jitter, in milliseconds. */
        jitterMs: number | null;
        /** The height of the largest video that it received, in pixels. */
        height: number | null;
        /** Its frames per second. */
        fps: number | null;
        /** How often a video stood still. */
        freezes: number | null;
        /** How long videos stood still, all together, in milliseconds. */
        frozenMs: number | null;
        /** The part of the sound that was missing and made up by the browser, in percent. */
        concealedPercent: number | null;
      } | null;
      /** When the device reported it. It covers about the ten seconds before. */
      at: Date;
      /** How the server rates the connection in each direction. */
      scores: Quality;
      /** The node that owns the room; null if it is not known. */
      server: {
        load: number;
        cpu: number;
      } | null;
    }[];
  }[];
  /** What happened, oldest first. */
  events: {
    at: Date;
    /** What happened. */
    kind:
      | 'connection_back'
      | 'connection_lost'
      | 'joined'
      | 'left'
      | 'media_disconnected'
      | 'moved'
      | 'node_died'
      | 'worker_died';
    /** The participant whose device it happened to. */
    walletAddress: PartyId;
  }[];
  /** What went wrong, the earliest first. Empty if nothing was found. */
  findings: {
    /** What was wrong: a node or media worker died, the machine was full, the network of the server or of one participant was bad, a device was too slow, or a device lost its connection. */
    cause:
      | 'connection_lost'
      | 'machine_full'
      | 'node_died'
      | 'participant_device'
      | 'participant_network'
      | 'server_network'
      | 'worker_died';
    /** The participant that it concerns; null if it concerns everybody. */
    walletAddress: PartyId | null;
    /** When it began. */
    from: Date;
    /** When it was over. */
    to: Date;
    /** The same as a sentence in English. */
    message: string;
  }[];
  /** If there is more than one answer can hold: the `from` of the next request; null at the end. */
  nextFrom: Date | null;
}

/** Selects a part of a room or call. */
export interface QualityQuery {
  /** Leaves out what was before this time. */
  from?: Date | string;
}

/** A participant token, without its secret. */
export interface ParticipantToken {
  /** The id of the token, which revokes it. */
  id: string;
  /** The identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`. */
  identity: string;
  /** The name shown to the others. */
  displayName: string | null;
  /** The role of the guest. */
  role: ParticipantRole;
  /** What the guest may do. */
  grants: Grants;
  /** Your own text about the guest. */
  metadata: string | null;
  /** When the token was created. */
  createdAt: Date;
  /** Until when the token can be used to enter. */
  expiresAt: Date;
  /** When the token was revoked; null if it was not. */
  revokedAt: Date | null;
}

/** A new participant token, with its secret in `token`. */
export interface CreatedToken {
  /** The id of the token, which revokes it. */
  id: string;
  /** The identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`. */
  identity: string;
  /** The name shown to the others. */
  displayName: string | null;
  /** The role of the guest. */
  role: ParticipantRole;
  /** What the guest may do. */
  grants: Grants;
  /** Your own text about the guest. */
  metadata: string | null;
  /** When the token was created. */
  createdAt: Date;
  /** Until when the token can be used to enter. */
  expiresAt: Date;
  /** When the token was revoked; null if it was not. */
  revokedAt: Date | null;
  /** Shown only here. */
  token: string;
}

/** The stream to create. */
export interface NewBackendStream {
  title: string;
  description?: string;
  isPublic?: boolean;
  /** The condition that wallets must meet to watch; null for none. Guests never meet one. */
  gate?: GateConfig | null;
  record?: boolean;
  /** The network on whose chains the gate is checked: `mainnet` or `testnet`. Default: that of the session; `mainnet` for an API key. */
  network?: Network;
}

/** What changes in a stream. What is left out stays as it is. */
export interface BackendStreamChanges {
  title?: string;
  description?: string;
  isPublic?: boolean;
  record?: boolean;
}

/** A stream of the account. */
export interface BackendStream {
  /** The id of the stream. */
  id: string;
  /** The title. */
  title: string;
  /** The state: `idle` until it is live for the first time, `live`, `ended`. */
  status: StreamStatus;
  /** Whether the publisher sends media. */
  isSending: boolean;
  /** When the stream was created. */
  createdAt: Date;
  /** When it was live for the first time; null before. */
  startedAt: Date | null;
  /** When it ended; null before. */
  endedAt: Date | null;
  /** Why it ended: `ended` (by its host), `gone` (its publisher). */
  endReason: string | null;
  /** The description; empty if there is none. */
  description: string;
  /** The host: the wallet of your account, or `account:…` if it has none. */
  host: PartyId;
  network: Network;
  isPublic: boolean;
  /** The condition that wallets must meet to watch; null without one. */
  gate: Gate | null;
  record: boolean;
  /** The number of viewers now, by SDK, WHEP and HLS together. */
  viewerCount: number;
  /** The address for publishing by WHIP. The stream key is the bearer token. */
  whipUrl: string;
  /** The address for publishing by RTMP, to which the stream key is appended as the last part of the path; empty if the server does not accept RTMP. */
  rtmpUrl: string;
  /** The address for watching by WHEP. */
  whepUrl: string;
  /** The address of the HLS playlist. */
  playbackUrl: string;
  /** The address of a page for watching the stream. */
  watchUrl: string;
}

/** A stream of the account with its key. */
export interface BackendStreamWithKey {
  /** The id of the stream. */
  id: string;
  /** The title. */
  title: string;
  /** The state: `idle` until it is live for the first time, `live`, `ended`. */
  status: StreamStatus;
  /** Whether the publisher sends media. */
  isSending: boolean;
  /** When the stream was created. */
  createdAt: Date;
  /** When it was live for the first time; null before. */
  startedAt: Date | null;
  /** When it ended; null before. */
  endedAt: Date | null;
  /** Why it ended: `ended` (by its host), `gone` (its publisher). */
  endReason: string | null;
  /** The description; empty if there is none. */
  description: string;
  /** The host: the wallet of your account, or `account:…` if it has none. */
  host: PartyId;
  network: Network;
  isPublic: boolean;
  /** The condition that wallets must meet to watch; null without one. */
  gate: Gate | null;
  record: boolean;
  /** The number of viewers now, by SDK, WHEP and HLS together. */
  viewerCount: number;
  /** The address for publishing by WHIP. The stream key is the bearer token. */
  whipUrl: string;
  /** The address for publishing by RTMP, to which the stream key is appended as the last part of the path; empty if the server does not accept RTMP. */
  rtmpUrl: string;
  /** The address for watching by WHEP. */
  whepUrl: string;
  /** The address of the HLS playlist. */
  playbackUrl: string;
  /** The address of a page for watching the stream. */
  watchUrl: string;
  /** The key for publishing. Only the answers that create or reset the key contain it. */
  streamKey: string;
}

/** Selects streams of the account. */
export interface BackendStreamsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Only streams in this state: `idle`, `live` or `ended`. Default: all. */
  status?: StreamStatus;
}

/** A viewer as backends see it. */
export interface BackendViewer {
  /** The identity in the participant token of a guest; otherwise the wallet. null for a viewer without either. */
  identity: string | null;
  /** The wallet; null for a guest. */
  walletAddress: Address | null;
  /** Whether it watches with a participant token. */
  isGuest: boolean;
  /** The name shown to the host; null without one. */
  displayName: string | null;
  /** How it watches: `sdk`, `whep` or `hls`. */
  via: WatchedBy;
  /** When it began to watch. */
  joinedAt: Date;
}

/** Names a viewer: a wallet by its address, or a guest by the identity in its participant token. */
export interface BannedViewer {
  /** The wallet. Either this or `identity`. */
  walletAddress?: string;
  /** The identity in the participant tokens of a guest. Either this or `walletAddress`. */
  identity?: string;
}

/** Whether a viewer is banned. */
export interface ViewerBan {
  /** The wallet; null for a guest. */
  walletAddress: Address | null;
  /** The identity of the guest; null for a wallet. */
  identity: string | null;
  /** Whether it is banned from the stream now. */
  isBanned: boolean;
}

/** Whom a viewer token is for. */
export interface NewViewerToken {
  /** The wallet that watches with the token. Default: anybody who has the token. Required if the stream has a gate. */
  walletAddress?: string;
}

/** A viewer token, for players without a session. */
export interface ViewerToken {
  /** The token, for WHEP and HLS as `?token=` or bearer token, and for `streaming.watch()`. */
  token: string;
  /** Until when playback must begin: an hour for a wallet; a day for anybody, unless the stream key is reset before. */
  expiresAt: Date;
}

/** The participant token to create for a stream. */
export interface NewStreamToken {
  /** The identity of the guest in your system: 1 to 64 letters, digits and `_ . @ + : -`. */
  identity: string;
  /** The name shown to the others. @default the identity */
  displayName?: string;
  /** Your own text about the guest. @default none */
  metadata?: string;
  /** How long the token can be used to enter, in seconds. @default 3,600 */
  expiresInSeconds?: number;
  /** @default 'viewer' */
  role?: 'host' | 'viewer';
  canChat?: boolean;
}

/** A call of the account's wallet, as backends see it. */
export interface AccountCall {
  /** The id of the call. */
  id: string;
  /** The caller. */
  from: Address;
  /** The callee. */
  to: Address;
  /** The type of the call. */
  type: CallType;
  /** The state of the call. */
  status: CallStatus;
  /** When it began to ring. */
  startedAt: Date;
  /** When it was answered; null if it was not. */
  answeredAt: Date | null;
  /** When it ended; null before. */
  endedAt: Date | null;
  /** Why it ended. */
  endReason: string | null;
  /** Whether the wallet of your account was called or called. */
  direction: 'incoming' | 'outgoing';
  /** Seconds from the answer to the end; null until an answered call has ended. */
  durationSeconds: number | null;
  /** The wallet that records the call; null if nobody does. */
  recordedBy: Address | null;
}

/** Selects calls. */
export interface AccountCallsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Only calls in this state: `ringing`, `active`, `ended`, `missed` or `declined`. Default: all. */
  status?: CallStatus;
}

/** A recording of the account, as backends see it. */
export interface AccountRecording {
  /** The id of the recording. */
  id: string;
  /** What was recorded. */
  kind: 'call' | 'conference' | 'stream';
  /** The id of the room, stream or call. */
  roomId: string;
  /** The title of the stream or room; empty for a call. */
  title: string;
  /** The state: `recording`, `processing`, `ready`, `failed`. */
  status: RecordingStatus;
  /** When it was started. */
  startedAt: Date;
  /** When it ended. */
  endedAt: Date | null;
  /** Why it ended or failed. */
  endReason: string | null;
  /** The duration in seconds; null until it is ready. */
  durationSeconds: number | null;
  /** The size of all files; null until it is ready. */
  sizeBytes: number | null;
  /** The owner: the wallet of your account, or `account:…` if it has none. */
  host: PartyId;
  /** The number of participants who were not recorded for some of the time, because more were sending than the server can record at once. */
  leftOut: number;
  /** The signed address of the first file that is not a screen share, which expires after about an hour; null until the recording is ready. */
  url: string | null;
  /** The files, in the order in which they start; empty until the recording is ready. */
  files: {
    /** The id of the file. */
    id: string;
    /** A signed address that expires after about an hour. With `&thumbnail` it returns a small image of an image or video. */
    url: string;
    /** The type, detected from the content. */
    mimeType: string;
    /** Size in bytes. */
    size: number;
    /** The name it was uploaded with. */
    name: string | null;
    /** Width in pixels; null for audio and documents. */
    width: number | null;
    /** Height in pixels; null for audio and documents. */
    height: number | null;
    /** Duration in seconds; null for images and documents. */
    duration: number | null;
    /** The recorded participant: the identity in the participant token of a guest; otherwise the wallet. */
    identity: string;
    /** Whether the participant joined with a participant token. */
    isGuest: boolean;
    /** The name that the participant had in the room; null in a call or stream. Missing from servers of older releases. */
    displayName?: string | null;
    /** true: a shared screen with its audio. false: camera and microphone of the participant. */
    isScreen: boolean;
    /** Seconds from the start of the recording to the start of this file. */
    startSeconds: number;
  }[];
}

/** Selects recordings. */
export interface AccountRecordingsQuery {
  /** Items per page, 1 to 100. Default: 50. */
  limit?: number;
  /** The `nextCursor` of the previous page. Default: the first page. */
  cursor?: string;
  /** Only recordings of this kind: `stream`, `conference` or `call`. */
  kind?: 'call' | 'conference' | 'stream';
  /** Only recordings of this stream, room or call. */
  roomId?: string;
  /** Only recordings in this state: `recording`, `processing`, `ready` or `failed`. */
  status?: RecordingStatus;
}
