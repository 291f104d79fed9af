import { guestsCannot } from '../protocol/errors.ts';
import type { WireSession } from '../protocol/session.ts';
import { toAddress } from './connection/toAddress.ts';
import { Tokens } from './connection/Tokens.ts';
import { HttpClient } from './http/HttpClient.ts';
import {
  appOptionsOf,
  backendKeyOf,
  baseUrlOf,
  isSecret,
  participantTokenOf,
  warnOfSecretKey,
  type ParleyOptions,
} from './options.ts';
import { Platform } from './platform/Platform.ts';
import { StoredItems } from './platform/StoredItems.ts';

/** The parts of a client that its HTTP side and its realtime side share. @throws ParleyError VALIDATION_ERROR, INVALID_ADDRESS */
export function partsOf(options: ParleyOptions) {
  const app = appOptionsOf(options);
  const apiKey = 'auth' in options ? backendKeyOf(options) : app.apiKey;
  const platform = new Platform(app.platform);
  const baseUrl = baseUrlOf(options.baseUrl, platform);
  const wallet = app.walletAddress === undefined ? undefined : toAddress(app.walletAddress);
  warnOfSecretKey(apiKey, platform);
  const storage = new StoredItems(app.storage);
  const tokens = new Tokens({
    sessionToken: app.sessionToken,
    participantToken: participantTokenOf(options),
    getToken: app.getToken,
    storage,
    storageKey: `parley.session ${baseUrl}`,
    wallet,
    refresh: (refreshToken) => http.request<WireSession>('POST', '/auth/refresh', { refreshToken }),
  });
  const http: HttpClient = new HttpClient({
    baseUrl,
    platform,
    credential: async () => {
      if (tokens.isGuest) throw guestsCannot();
      return isSecret(apiKey) ? apiKey : tokens.current();
    },
    renew: () => tokens.renew(),
  });
  const publishableKey = isSecret(apiKey) ? undefined : apiKey;
  return { app, platform, baseUrl, wallet, storage, tokens, http, publishableKey };
}
