import { onChain, type Address } from '../protocol/address.ts';
import type { WireProvider } from '../protocol/identities.ts';
import type { WireAnySession, WireSession, Network } from '../protocol/session.ts';
import { guestsCannot } from '../protocol/errors.ts';
import { Breakouts } from './breakouts.ts';
import { Calls } from './calls.ts';
import { Conference } from './conference.ts';
import { Connection } from './connection/Connection.ts';
import { EventStream } from './connection/EventStream.ts';
import { GatedRooms } from './gatedRooms.ts';
import { fromWire } from './connection/fromWire.ts';
import { guard, invalid } from './connection/guard.ts';
import { realtimeParameters } from './connection/realtimeParameters.ts';
import type { HttpClient } from './http/HttpClient.ts';
import { HttpNamespaces } from './http/HttpNamespaces.ts';
import { httpParameters } from './http/httpParameters.ts';
import { Listeners } from './connection/Listeners.ts';
import { Media } from './media/media.ts';
import { Messages } from './messages.ts';
import { Notifications } from './notifications.ts';
import { Groups } from './groups.ts';
import { People } from './people.ts';
import { JoinedRooms } from './rooms/JoinedRooms.ts';
import { Recordings } from './recordings.ts';
import { checkSigner, signInOrigin, signMessage, toEvmAddress, type Signer } from './connection/signIn.ts';
import { mediaOptionsOf, type ParleyOptions } from './options.ts';
import { partsOf } from './partsOf.ts';
import { Streaming } from './streaming.ts';
import type { Tokens } from './connection/Tokens.ts';
import { Uploads } from './http/uploads.ts';
import { Voicemails } from './voicemail.ts';
import { deleteStatement, linkStatement } from '../protocol/statements.ts';
import type { AccountDeletion, AccountIdentity } from './http/accountTypes.ts';
import type { ConnectionState, Guest, ParleyEvents, Provider, ProviderSession, Session } from './types.ts';

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
export class Parley extends HttpNamespaces {
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
  /** The origin for the sign-in message. */
  readonly #origin: () => string;
  readonly #audience: 'app' | 'dashboard';
  readonly #network: Network;
  /** The only wallet this client may sign in as, if the app names one. */
  readonly #walletAddress: Address | undefined;
  readonly #chainId: number | undefined;
  readonly #http: HttpClient;
  readonly #tokens: Tokens;
  readonly #connection: Connection;
  readonly #events = new Listeners<ParleyEvents>();

  /**
   * Creates a client. Sends no requests.
   * @param options the options of an app, with its publishable key; of a backend, with its secret key; or of a guest, with its participant
   * token
   * @throws ParleyError VALIDATION_ERROR: missing or invalid options, or a `sessionToken` of another wallet than `walletAddress`
   * @throws ParleyError INVALID_ADDRESS: `walletAddress` is not an address
   */
  constructor(options: ParleyOptions) {
    if (typeof options !== 'object' || (options as unknown) === null)
      throw invalid('options', "Parley: options are missing. Write new Parley({ apiKey: '', baseUrl }).");
    const parts = partsOf(options);
    super(parts.http);
    const { app, platform, baseUrl, tokens, storage, publishableKey } = parts;
    this.#http = parts.http;
    this.#tokens = tokens;
    this.baseUrl = baseUrl;
    this.#origin = () => signInOrigin(baseUrl, platform);
    this.#walletAddress = parts.wallet;
    this.#network = app.network ?? 'mainnet';
    this.#chainId = app.chainId;
    this.#audience = app.audience ?? 'app';
    this.#connection = new Connection({
      baseUrl,
      platform,
      tokens,
      appKey: publishableKey,
    });
    this.#connection.onState((state) => {
      const error = state === 'closed' ? this.#connection.failure : null;
      // On a closed connection the app can no longer end its calls, so this switches camera and microphone off.
      if (state === 'closed') {
        this.media.closeAll();
        this.voicemail.close();
      }
      this.#events.emit('connection:changed', { state, ...(error ? { error } : {}) });
    });
    const uploads = new Uploads(this.#http, platform);
    this.media = new Media({
      connection: this.#connection,
      events: this.#events,
      uploads,
      platform,
      options: mediaOptionsOf(app.media),
    });
    this.notifications = new Notifications(this.#connection, this.#events);
    this.people = new People(this.#connection, this.#events);
    this.recordings = new Recordings(this.#connection, this.#events);
    this.gatedRooms = new GatedRooms(this.#connection);
    this.breakouts = new Breakouts(this.#connection, this.#events);
    this.streaming = new Streaming(this.#connection, this.media, this.#events);
    const [connection, events] = [this.#connection, this.#events];
    const stream = new EventStream({
      connection,
      storage,
      storageKey: `parley.cursor ${baseUrl}`,
      onLost: () => events.emit('session:missed', {}),
    });
    this.groups = new Groups(connection, stream, events, this.notifications);
    this.messages = new Messages({
      connection,
      stream,
      events,
      storage,
      storageKey: `parley.outbox ${baseUrl}`,
      uploads,
      limitMs: (app.sendLimitSeconds ?? daySeconds) * 1_000,
      wallet: () => this.#tokens.session?.walletId ?? null,
      loading: () => this.#tokens.loading,
    });
    const { media, notifications } = this;
    const rooms = new JoinedRooms(connection, media, events);
    this.conference = new Conference({ connection, stream, events, rooms, media, notifications });
    this.calls = new Calls({ connection, media, notifications, rooms, events });
    this.voicemail = new Voicemails({ connection, stream, events, media, notifications, platform });
    guard(this, { ...httpParameters, ...realtimeParameters }, tokens.isGuest);
  }

  /** The state of the realtime connection. */
  get state(): ConnectionState {
    return this.#connection.state;
  }

  /**
   * The current session, from a sign-in or from `storage`; null before the first sign-in, if the app supplies the tokens itself (see
   * wallet()), and until loadSession() resolves if the storage is asynchronous.
   */
  get session(): Session | null {
    return this.#tokens.session;
  }

  /**
   * Waits until the session has been read from an asynchronous `storage`. Requests wait for it too. Never rejects.
   * @returns the session, as `session` returns it
   * @example if (!(await client.loadSession())) await client.signIn(account);
   */
  async loadSession(): Promise<Session | null> {
    await this.#tokens.loading;
    return this.session;
  }

  /**
   * Connects now, if this client is signed in: call it when a phone's app returns to the foreground, when the network has changed, and when
   * a push has woken the app. An open connection is checked, and replaced if the server does not answer. Calls, rooms and streams continue,
   * and missed events arrive.
   * @throws ParleyError NETWORK_ERROR: the server did not answer. The client continues to try
   * @throws ParleyError AUTHENTICATION_REQUIRED: the session has ended
   */
  async resume(): Promise<void> {
    await this.#tokens.loading;
    if (this.#tokens.isSignedIn) await this.#connection.resume();
  }

  /**
   * Disconnects without signing out: call it when a phone's app goes to the background, so that calls and messages arrive by push from then
   * on. The next request or resume() connects again. Does nothing while this device has media in a call, room or stream. Never throws.
   */
  suspend(): void {
    if (!this.media.isOpen) this.#connection.suspend();
  }

  /**
   * Connects, and reads what the participant token of this client says: the room or stream, the role and the rights.
   * @returns the guest; null for a client without a participant token
   * @throws ParleyError AUTHENTICATION_REQUIRED: the token is not valid or was revoked (`token_revoked`), or has expired (`token_expired`)
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example
   * const guest = await client.guest();
   * if (guest) await client.conference.join(guest.subjectId);
   */
  async guest(): Promise<Guest | null> {
    if (!this.#tokens.isGuest) return null;
    const { guest } = await this.#connection.welcome();
    return guest ? fromWire(guest) : null;
  }

  /**
   * Reads the wallet of this client: of its session, or, if the app supplies the tokens (`getToken`, `sessionToken`), of the token. For a
   * token it connects.
   * @returns the identity of the wallet, as `session.walletId`; null for a guest, before the first sign-in, and for an account without a wallet
   * @throws ParleyError AUTHENTICATION_REQUIRED: the server does not accept the token, or this client was closed
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   * @example const isHost = room.host === (await client.wallet());
   */
  async wallet(): Promise<Address | null> {
    const session = await this.loadSession();
    if (session || this.#tokens.isGuest || !this.#tokens.isSignedIn) return session?.walletId ?? null;
    // Only the connection of a guest is welcomed as another party than a wallet.
    return (await this.#connection.welcome()).walletAddress as Address;
  }

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
  async authenticate(walletAddress: string, signature: string, message: string): Promise<Session> {
    this.#mustBeForWallets();
    toEvmAddress(walletAddress);
    const wanted = this.#walletAddress && onChain(this.#walletAddress).address;
    if (wanted && wanted.toLowerCase() !== walletAddress.toLowerCase())
      throw invalid(
        'walletAddress',
        `This client is for the wallet ${this.#walletAddress}, but ${walletAddress} signs in. Create another client for it.`,
      );
    const session = await this.#http.request<WireSession>('POST', '/auth/verify', {
      walletAddress,
      signature,
      message,
      audience: this.#audience,
    });
    this.#begin(session);
    await this.#connection.open();
    return session;
  }

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
  async signIn(signer: Signer): Promise<Session> {
    this.#mustBeForWallets();
    checkSigner('signIn', signer);
    const signed = await signMessage(signer, this.#signOptions());
    return this.authenticate(signed.walletAddress, signed.signature, signed.message);
  }

  /**
   * Reads the server's outside identity provider.
   * @returns null if the server has none
   * @throws ParleyError NETWORK_ERROR: the server did not answer
   */
  async provider(): Promise<Provider | null> {
    const { provider } = await this.#http.request<{ provider: WireProvider | null }>('GET', '/auth/provider');
    return provider;
  }

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
  async signInWithProvider(token: string): Promise<ProviderSession> {
    this.#mustBeForWallets();
    const body = { token, network: this.#network };
    const session = await this.#http.request<WireAnySession>('POST', '/auth/exchange', body);
    // The cast hides that the session may have no wallet. Apps read its wallet from this method's result.
    this.#begin(session as Session);
    if (session.walletId === null) return session;
    await this.#connection.open();
    return session;
  }

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
  async linkWallet(signer: Signer): Promise<AccountIdentity> {
    this.#mustBeForWallets();
    checkSigner('linkWallet', signer);
    const { id } = await this.account.get();
    const proof = await signMessage(signer, { ...this.#signOptions(), statement: linkStatement(id) });
    const identity = await this.account.linkIdentity({ type: 'wallet', ...proof });
    if (this.#tokens.session) await this.#tokens.renew();
    return identity;
  }

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
  async deleteAccount(signer: Signer): Promise<AccountDeletion> {
    this.#mustBeForWallets();
    checkSigner('deleteAccount', signer);
    const { id } = await this.account.get();
    const proof = await signMessage(signer, { ...this.#signOptions(), statement: deleteStatement(id) });
    return this.account.delete({ type: 'wallet', ...proof });
  }

  /** Uses a new session. If another account was signed in, its connection and media close first, as after signOut(). */
  #begin(session: Session): void {
    if (this.#tokens.use(session)) this.#connection.close();
    this.#connection.reopen();
  }

  /** A client has one identity. @throws ParleyError ACCESS_DENIED if this client has a participant token */
  #mustBeForWallets(): void {
    if (this.#tokens.isGuest)
      throw guestsCannot(
        'This client is a guest: create another client, without participantToken, to sign in with a wallet.',
      );
  }

  #signOptions() {
    return {
      http: this.#http,
      origin: this.#origin(),
      network: this.#network,
      chainId: this.#chainId,
    };
  }

  /**
   * Ends the session on the server and on every device that uses it, and closes this client's connection and media. The client is signed
   * out even if the request fails.
   * @throws ParleyError NETWORK_ERROR: the session may still be valid on the server
   */
  async signOut(): Promise<void> {
    if (this.#tokens.loading) await this.#tokens.loading;
    const session = this.#tokens.session;
    // The local sign-out comes first, so that it happens even if the request fails.
    this.#tokens.forget();
    this.media.closeAll();
    this.#connection.close();
    if (session) await this.#http.request('POST', '/auth/logout', { refreshToken: session.refreshToken });
  }

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
  ): () => void {
    return this.#events.on(event, handler);
  }

  /**
   * Removes the handlers of an event. Never throws.
   * @param event the name of the event
   * @param handler the handler to remove. Default: all handlers of the event
   */
  off<Name extends keyof ParleyEvents>(event: Name, handler?: (payload: ParleyEvents[Name]) => void): void {
    this.#events.off(event, handler);
  }

  /**
   * Closes the connection and all media, and removes every handler. The session stays valid. Never throws.
   */
  close(): void {
    this.media.closeAll();
    this.notifications.stop();
    this.#connection.close();
    this.#events.clear();
  }
}

const daySeconds = 86_400;
