import type { Network } from '../protocol/session.ts';
import { invalid } from './connection/guard.ts';
import type { MediaOptions } from './media/device.ts';
import type { SessionStorage } from './types.ts';

/** Options for backends: the HTTP API with a secret API key. */
interface BackendOptions {
  /** The server's URL, for example `https://calls.example.org`. */
  baseUrl: string;
  /** A secret API key (`svc_live_…`). Never use it in a browser. */
  auth: { apiKey: string };
}

/** Options for apps: the realtime side and the HTTP API. */
export interface AppOptions {
  /** The publishable key (`pk_live_…`) that names the app; empty if the server requires none. */
  apiKey: string;
  /**
   * The only wallet this client may use: a session of another wallet is refused with VALIDATION_ERROR. Name a contract wallet with its
   * chain, `eip155:<chain id>:<address>`. @default any wallet that signs in
   */
  walletAddress?: string;
  /** The network whose chains gates are checked on. @default 'mainnet' */
  network?: Network;
  /**
   * The chain id that signIn() puts into the message. For a contract wallet it is the wallet's own chain, which is part of its identity.
   * @default 1 (Ethereum), or 11155111 (Sepolia) for testnet
   */
  chainId?: number;
  /** The access token of a session, for example from your own backend. The client connects at its first request. */
  sessionToken?: string;
  /** Fetches an access token from your backend: at the first request, and again when a token expires. */
  getToken?: () => Promise<string>;
  /**
   * Keeps the session across reloads and shares it between tabs, for example `localStorage`. It also keeps unsent messages and the
   * number of the last event this device got. @default memory, until the client is closed
   */
  storage?: SessionStorage;
  /** Seconds before an unsent message fails. @default 86_400 (one day) */
  sendLimitSeconds?: number;
  /** The kind of session signIn() and authenticate() create. `dashboard` manages API keys, on the server's own pages. @default 'app' */
  audience?: 'app' | 'dashboard';
  /** WebRTC outside a browser: its handler, and the sources of microphone and camera. */
  media?: MediaOptions;
  /** The server's URL. @default the page's origin */
  baseUrl?: string;
}

export type ParleyOptions = BackendOptions | AppOptions;

/** @throws ParleyError VALIDATION_ERROR */
export function mediaOptionsOf(media: unknown): MediaOptions {
  if (media === undefined) return {};
  if (typeof media === 'object' && media !== null) return media;
  throw invalid('media', "Parley: media must be an object, such as { handlerName: 'Chrome111' }.");
}

/** The origin of this page, which is the default server. @throws ParleyError VALIDATION_ERROR outside a browser */
export function pageOrigin(): string {
  if (typeof location !== 'undefined') return location.origin;
  throw invalid('baseUrl', 'Parley: outside a browser, baseUrl must be the server’s URL.');
}

/** Removes trailing slashes. @throws ParleyError VALIDATION_ERROR if it is not an http(s) URL */
export function toBaseUrl(given: unknown): string {
  const text = typeof given === 'string' ? given.replace(/\/+$/, '') : '';
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  const hint = /^[\w.-]+(:\d+)?$/.test(text) ? `: write https://${text}` : '';
  throw invalid('baseUrl', `Parley: baseUrl must begin with https:// or http://${hint}.`);
}

/** Whether an API key is secret (`svc_…`) rather than publishable. */
export const isSecret = (apiKey: string | undefined): apiKey is string => apiKey?.startsWith('svc_') ?? false;

let warned = false;

export function warnOfSecretKey(apiKey: string | undefined): void {
  if (warned || typeof document === 'undefined' || !isSecret(apiKey)) return;
  warned = true;
  // eslint-disable-next-line no-console -- the developer must see it, wherever the page runs
  console.warn(
    'Parley: a secret API key (svc_…) is used in a browser, where anyone can read it. Use the publishable key (pk_…).',
  );
}
