import type { Network } from '../protocol/session.ts';
import { invalid } from './connection/guard.ts';
import type { MediaOptions } from './media/device.ts';
import type { Platform, PlatformOptions, SessionStorage } from './platform/Platform.ts';
import { isHttpUrl } from './platform/url.ts';

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

/** The options of a client: of an app, of a backend, or of a guest. */
export type ParleyOptions = BackendOptions | AppOptions | GuestOptions;

/** The options of an app. A guest has only those of its media: it has no wallet, no session, and nothing to store. */
export function appOptionsOf(options: ParleyOptions): Partial<AppOptions> {
  if ('auth' in options) return {};
  if (!('participantToken' in options)) return options;
  const { media, platform } = options;
  return { ...(media && { media }), ...(platform && { platform }) };
}

/** The secret API key of a backend. @throws ParleyError VALIDATION_ERROR if there is none */
export function backendKeyOf({ auth }: BackendOptions): string {
  const { apiKey } = Object(auth) as { apiKey?: unknown };
  if (typeof apiKey === 'string' && apiKey !== '') return apiKey;
  throw invalid('auth', "Parley: auth must have the API key of a backend: auth: { apiKey: 'svc_live_…' }.");
}

/** @throws ParleyError VALIDATION_ERROR if `media` is not an object */
export function mediaOptionsOf(media: unknown): MediaOptions {
  if (media === undefined) return {};
  if (typeof media === 'object' && media !== null) return media;
  throw invalid('media', "Parley: media must be an object, such as { handlerName: 'Chrome111' }.");
}

/** The participant token; undefined in the options of an app or backend. @throws ParleyError VALIDATION_ERROR if it is not one */
export function participantTokenOf(options: ParleyOptions): string | undefined {
  if (!('participantToken' in options)) return undefined;
  const { participantToken: token } = options as { participantToken: unknown };
  if (typeof token === 'string' && token.startsWith('pt_')) return token;
  throw invalid(
    'participantToken',
    'Parley: participantToken must be a token (pt_…) that a backend has created.',
  );
}

/** The server's URL without trailing slashes; empty if there is neither a `baseUrl` nor a page. @throws ParleyError VALIDATION_ERROR if it is not an http(s) URL */
export function baseUrlOf(given: unknown, platform: Platform): string {
  const url = given ?? platform.page?.origin ?? '';
  return url === '' && given === undefined ? '' : toBaseUrl(url);
}

/** Removes trailing slashes. @throws ParleyError VALIDATION_ERROR if it is not an http(s) URL */
function toBaseUrl(given: unknown): string {
  const text = typeof given === 'string' ? given.replace(/\/+$/, '') : '';
  if (isHttpUrl(text)) return text;
  const hint = /^[\w.-]+(:\d+)?$/.test(text) ? `: write https://${text}` : '';
  throw invalid('baseUrl', `Parley: baseUrl must begin with https:// or http://${hint}.`);
}

/** Whether an API key is secret (`svc_…`) rather than publishable. */
export const isSecret = (apiKey: string | undefined): apiKey is string => apiKey?.startsWith('svc_') ?? false;

let warned = false;

export function warnOfSecretKey(apiKey: string | undefined, { hasDocument }: Platform): void {
  if (warned || !hasDocument || !isSecret(apiKey)) return;
  warned = true;
  // oxlint-disable-next-line no-console -- the developer must see it, wherever the page runs
  console.warn(
    'Parley: a secret API key (svc_…) is used in a browser, where anyone can read it. Use the publishable key (pk_…).',
  );
}
