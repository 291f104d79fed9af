import { isAddress } from 'viem/utils';
import { onChain, type Address } from '../protocol/address.ts';
import { ParleyError } from '../protocol/errors.ts';
import type { WireProvider } from '../protocol/identities.ts';
import type { WireStatus } from '../protocol/status.ts';
import type { WireAnySession, WireSession, Network } from '../protocol/session.ts';
import { Account } from './http/account.ts';
import { ApiKeys } from './http/apiKeys.ts';
import { Calls } from './calls.ts';
import { Conference } from './conference.ts';
import { Connection } from './connection/Connection.ts';
import type { MediaOptions } from './media/device.ts';
import { Esim } from './http/esim.ts';
import { EventStream } from './connection/EventStream.ts';
import { GatedRooms } from './gatedRooms.ts';
import { guard, invalid, parameters } from './connection/guard.ts';
import { HttpClient } from './http/HttpClient.ts';
import { Leaksearch } from './http/leaksearch.ts';
import { Listeners } from './connection/Listeners.ts';
import { Lookup } from './http/lookup.ts';
import { Media } from './media/media.ts';
import { Messaging } from './http/messaging.ts';
import { Numbers } from './http/numbers.ts';
import { Operator } from './http/operator.ts';
import { Messages } from './messages.ts';
import { Notifications } from './notifications.ts';
import { Recordings } from './recordings.ts';
import { signMessage, type Signer } from './connection/signIn.ts';
import { Sms } from './http/sms.ts';
import { Streaming } from './streaming.ts';
import { toAddress } from './connection/toAddress.ts';
import { Tokens } from './connection/Tokens.ts';
import { Uploads } from './http/uploads.ts';
import { Voicemails } from './voicemail.ts';
import type {
  AccountIdentity,
  ConnectionState,
  ParleyEvents,
  Provider,
  ProviderSession,
  ServerStatus,
  Session,
  SessionStorage,
} from './types.ts';
import { Verifications } from './http/verifications.ts';
import { Xmpp } from './http/xmpp.ts';

/** For backends: the HTTP side, with a secret API key. */
interface BackendOptions {
  baseUrl: string;
  auth: { apiKey: string };
}

/** For apps: everything. */
interface AppOptions {
  /** The publishable key (`pk_live_…`) that names the app; empty where the server needs no app named. */
  apiKey: string;
  /**
   * The only wallet this client works for: a session of another one is refused with VALIDATION_ERROR. A contract wallet may be named with its
   * chain, `eip155:<chain id>:<address>`. @default any wallet that signs in
   */
  walletAddress?: string;
  /** @default 'mainnet' */
  network?: Network;
  /**
   * The chain signIn names: for a contract wallet the one it is on, which is a part of its identity.
   * @default Ethereum, or Sepolia for testnet
   */
  chainId?: number;
  /** A session's token, for example from your own backend: connects at the first call. */
  sessionToken?: string;
  /** Asks your backend for a session's token, now and whenever one has expired. */
  getToken?: () => Promise<string>;
  /**
   * Keeps the session over reloads and shares it between tabs: `localStorage`. Messages that were not sent yet, and how far this
   * device has heard, are kept there too. @default all that lives as long as the client
   */
  storage?: SessionStorage;
  /** How long a message is tried before it has failed. @default a day */
  sendLimitSeconds?: number;
  /** What signIn and authenticate ask for. `dashboard`, on the server's own pages, manages API keys. @default 'app' */
  audience?: 'app' | 'dashboard';
  /** WebRTC outside a browser: its handler, and where microphone and camera come from. */
  media?: MediaOptions;
  /** The server's address. @default the page's origin */
  baseUrl?: string;
}

export type ParleyOptions = BackendOptions | AppOptions;

/**
 * A client of one Parley server, for one wallet. Making one does no I/O.
 * @example
 * const client = new Parley({ apiKey: '' });
 * client.on('call:incoming', (call) => client.calls.answer(call.id));
 * client.on('media:track', ({ stream }) => (video.srcObject = stream));
 * await client.signIn(window.ethereum);
 */
export class Parley {
  readonly account: Account;
  readonly apiKeys: ApiKeys;
  readonly calls: Calls;
  readonly conference: Conference;
  readonly gatedRooms: GatedRooms;
  readonly streaming: Streaming;
  readonly media: Media;
  readonly recordings: Recordings;
  readonly voicemail: Voicemails;
  readonly esim: Esim;
  readonly leaksearch: Leaksearch;
  readonly lookup: Lookup;
  readonly messaging: Messaging;
  readonly numbers: Numbers;
  readonly operator: Operator;
  readonly sms: Sms;
  readonly verifications: Verifications;
  readonly xmpp: Xmpp;
  readonly messages: Messages;
  readonly notifications: Notifications;
  readonly #baseUrl: string;
  readonly #audience: 'app' | 'dashboard';
  readonly #network: Network;
  /** The only wallet this client may be signed in as, where the app says so. */
  readonly #walletAddress: Address | undefined;
  readonly #chainId: number | undefined;
  readonly #http: HttpClient;
  readonly #tokens: Tokens;
  readonly #connection: Connection;
  readonly #events = new Listeners<ParleyEvents>();

  constructor(options: ParleyOptions) {
    if (typeof options !== 'object' || (options as unknown) === null)
      throw invalid('options', "Parley: options are missing. Write new Parley({ apiKey: '', baseUrl }).");
    const app: Partial<AppOptions> = 'auth' in options ? {} : options;
    const apiKey = 'auth' in options ? options.auth.apiKey : options.apiKey;
    this.#baseUrl = toBaseUrl(options.baseUrl ?? pageOrigin());
    if (app.walletAddress !== undefined) this.#walletAddress = toAddress(app.walletAddress);
    this.#network = app.network ?? 'mainnet';
    this.#chainId = app.chainId;
    this.#audience = app.audience ?? 'app';
    warnOfSecretKey(apiKey);
    this.#tokens = new Tokens({
      sessionToken: app.sessionToken,
      getToken: app.getToken,
      storage: app.storage,
      storageKey: `parley.session ${this.#baseUrl}`,
      wallet: this.#walletAddress,
      refresh: (refreshToken) => this.#http.request<WireSession>('POST', '/auth/refresh', { refreshToken }),
    });
    this.#http = new HttpClient({
      baseUrl: this.#baseUrl,
      credential: async () => (isSecret(apiKey) ? apiKey : this.#tokens.current()),
      renew: () => this.#tokens.renew(),
    });
    this.account = new Account(this.#http);
    this.apiKeys = new ApiKeys(this.#http);
    this.esim = new Esim(this.#http);
    this.leaksearch = new Leaksearch(this.#http);
    this.lookup = new Lookup(this.#http);
    this.messaging = new Messaging(this.#http);
    this.numbers = new Numbers(this.#http);
    this.operator = new Operator(this.#http);
    this.sms = new Sms(this.#http);
    this.verifications = new Verifications(this.#http);
    this.xmpp = new Xmpp(this.#http);
    this.#connection = new Connection({
      baseUrl: this.#baseUrl,
      tokens: this.#tokens,
      appKey: isSecret(apiKey) ? undefined : apiKey,
    });
    this.#connection.onState((state) => {
      const error = state === 'closed' ? this.#connection.failure : null;
      // Nobody can end a call any more on a connection that is given up: camera and microphone must not stay on.
      if (state === 'closed') {
        this.media.closeAll();
        this.voicemail.close();
      }
      this.#events.emit('connection:changed', { state, ...(error ? { error } : {}) });
    });
    const uploads = new Uploads(this.#http);
    this.media = new Media(this.#connection, this.#events, uploads, mediaOptionsOf(app.media));
    this.notifications = new Notifications(this.#connection, this.#events);
    this.calls = new Calls(this.#connection, this.media, this.notifications, this.#events);
    this.recordings = new Recordings(this.#connection, this.#events);
    this.gatedRooms = new GatedRooms(this.#connection);
    this.streaming = new Streaming(this.#connection, this.media, this.#events);
    const [connection, events, { storage }] = [this.#connection, this.#events, app];
    const stream = new EventStream({
      connection,
      storage,
      storageKey: `parley.cursor ${this.#baseUrl}`,
      onLost: () => events.emit('session:missed', {}),
    });
    this.messages = new Messages({
      ...{ connection, stream, events, storage, storageKey: `parley.outbox ${this.#baseUrl}` },
      uploads,
      limitMs: (app.sendLimitSeconds ?? daySeconds) * 1_000,
      wallet: () => this.#tokens.session?.walletId ?? null,
    });
    const { media, notifications } = this;
    this.conference = new Conference({ connection, stream, events, media, notifications });
    this.voicemail = new Voicemails({ connection, stream, events, media, notifications });
    for (const name of Object.keys(parameters) as (keyof typeof parameters)[])
      guard(name, this[name], parameters[name]);
  }

  /** Where the realtime connection stands. */
  get state(): ConnectionState {
    return this.#connection.state;
  }

  /** The session this client signed in to, or found in its storage; null where a sessionToken or getToken was given. */
  get session(): Session | null {
    return this.#tokens.session;
  }

  /**
   * Signs in with a signed EIP-4361 message and connects.
   * @throws ParleyError INVALID_ADDRESS, AUTHENTICATION_REQUIRED (the signature or the message is not accepted), NETWORK_ERROR
   */
  async authenticate(walletAddress: string, signature: string, message: string): Promise<Session> {
    checkAddress(walletAddress);
    const wanted = this.#walletAddress && onChain(this.#walletAddress).address;
    if (wanted && wanted.toLowerCase() !== walletAddress.toLowerCase())
      throw invalid(
        'walletAddress',
        `This client is for the wallet ${this.#walletAddress}, and ${walletAddress} signs in: make another client for it.`,
      );
    const session = await this.#http.request<WireSession>('POST', '/auth/verify', {
      walletAddress,
      signature,
      message,
      audience: this.#audience,
    });
    this.#tokens.use(session);
    this.#connection.reopen();
    await this.#connection.open();
    return session;
  }

  /**
   * Nonce, message, signature and authenticate in one.
   * @param signer a viem WalletClient or LocalAccount, an EIP-1193 provider (window.ethereum), or {address, signMessage}
   */
  async signIn(signer: Signer): Promise<Session> {
    checkSigner('signIn', signer);
    const signed = await signMessage(signer, this.#signOptions());
    return this.authenticate(signed.walletAddress, signed.signature, signed.message);
  }

  /** The outside identity provider of this server; null where it has none to sign in with. */
  async provider(): Promise<Provider | null> {
    const { provider } = await this.#http.request<{ provider: WireProvider | null }>('GET', '/auth/provider');
    return provider;
  }

  /**
   * Trades the provider's token for a dashboard session. Where the account has a wallet it connects, too; without one there is
   * the HTTP side alone.
   */
  async signInWithProvider(token: string): Promise<ProviderSession> {
    const body = { token, network: this.#network };
    const session = await this.#http.request<WireAnySession>('POST', '/auth/exchange', body);
    // What is kept is the tokens; whoever reads the wallet of a provider's session has this method's answer.
    this.#tokens.use(session as Session);
    if (session.walletId === null) return session;
    this.#connection.reopen();
    await this.#connection.open();
    return session;
  }

  /**
   * Links a wallet to the account that is signed in, for example by an identity provider. The wallet signs an EIP-4361 message, and
   * the session is renewed: from then on it can call and write as this wallet. With `getToken`, your backend gives the next token.
   * @param signer as for signIn
   * @throws ParleyError AUTHENTICATION_REQUIRED (nobody is signed in, or the wallet did not sign), CONFLICT (the wallet has an account of its own that is in use)
   */
  async linkWallet(signer: Signer): Promise<AccountIdentity> {
    checkSigner('linkWallet', signer);
    const { id: linkTo } = await this.account.get();
    const proof = await signMessage(signer, { ...this.#signOptions(), linkTo });
    const identity = await this.account.linkIdentity({ type: 'wallet', ...proof });
    if (this.#tokens.session) await this.#tokens.renew();
    return identity;
  }

  /** The version of the server, and which services it has configured. Needs no session. */
  serverStatus(): Promise<ServerStatus> {
    return this.#http.get<WireStatus>('/status');
  }

  #signOptions() {
    return {
      http: this.#http,
      origin: signInOrigin(this.#baseUrl),
      network: this.#network,
      chainId: this.#chainId,
    };
  }

  /** Ends the session on the server, on every device that holds it, and closes this client's connection. */
  async signOut(): Promise<void> {
    const session = this.#tokens.session;
    // First here: whatever becomes of the request, this client is signed out.
    this.#tokens.forget();
    this.media.closeAll();
    this.#connection.close();
    if (session) await this.#http.request('POST', '/auth/logout', { refreshToken: session.refreshToken });
  }

  /** Calls the handler at every such event. @returns a function that stops it */
  on<Name extends keyof ParleyEvents>(
    event: Name,
    handler: (payload: ParleyEvents[Name]) => void,
  ): () => void {
    return this.#events.on(event, handler);
  }

  /** Removes one handler, or, without one, all of the event. */
  off<Name extends keyof ParleyEvents>(event: Name, handler?: (payload: ParleyEvents[Name]) => void): void {
    this.#events.off(event, handler);
  }

  /** Ends all media, closes the connection and removes every handler. The session stays valid. */
  close(): void {
    this.media.closeAll();
    this.#connection.close();
    this.#events.clear();
  }
}

const daySeconds = 86_400;

function mediaOptionsOf(media: unknown): MediaOptions {
  if (media === undefined) return {};
  if (typeof media === 'object' && media !== null) return media;
  throw invalid('media', "Parley: media must be an object, such as { handlerName: 'Chrome111' }.");
}

function pageOrigin(): string {
  if (typeof location !== 'undefined') return location.origin;
  throw invalid('baseUrl', 'Parley: outside a browser, baseUrl must say where the server is.');
}

function toBaseUrl(given: unknown): string {
  const text = typeof given === 'string' ? given.replace(/\/+$/, '') : '';
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  const hint = /^[\w.-]+(:\d+)?$/.test(text) ? `: write https://${text}` : '';
  throw invalid('baseUrl', `Parley: baseUrl must begin with https:// or http://${hint}.`);
}

function checkSigner(method: string, signer: unknown): void {
  if (typeof signer === 'object' && signer !== null && ('signMessage' in signer || 'request' in signer))
    return;
  throw invalid(
    'signer',
    `${method}: no wallet was given. Pass window.ethereum (undefined where no wallet is installed), a viem account, or { address, signMessage }.`,
  );
}

/** The page or app shell that signs in. One without an origin (Node, a local file) signs in at the server. */
function signInOrigin(baseUrl: string): string {
  if (typeof location === 'undefined') return new URL(baseUrl).origin;
  if (location.origin !== 'null') return location.origin;
  const { protocol, host } = location;
  return host ? `${protocol}//${host}` : new URL(baseUrl).origin;
}

function checkAddress(address: string): void {
  if (typeof (address as unknown) !== 'string' || !isAddress(address, { strict: false })) {
    throw new ParleyError(
      'INVALID_ADDRESS',
      `${String(address)} is not a wallet address: 0x and 40 hexadecimal digits.`,
    );
  }
}

const isSecret = (apiKey: string | undefined): apiKey is string => apiKey?.startsWith('svc_') ?? false;

let warned = false;

function warnOfSecretKey(apiKey: string | undefined): void {
  if (warned || typeof document === 'undefined' || !isSecret(apiKey)) return;
  warned = true;
  // eslint-disable-next-line no-console -- the developer must see it, wherever the page runs
  console.warn(
    'Parley: a secret API key (svc_…) is in a browser, where everybody can read it. Use the publishable one (pk_…).',
  );
}
