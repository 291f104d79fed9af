import { createHmac } from 'node:crypto';
import type { IceServers } from '../../sdk/protocol/media.ts';

interface TurnOptions {
  /** `turn:` and `turns:` URLs; empty without a TURN server. */
  urls: string[];
  /** The secret shared with the TURN server (coturn: static-auth-secret). */
  secret: string | undefined;
  ttlSeconds: number;
}

/** Creates TURN credentials that expire, so that the relay cannot be used without limit (coturn: use-auth-secret). */
export class TurnServers {
  readonly #options: TurnOptions;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** @param who the user of the credentials: a wallet or a stream */
  for(who: string): IceServers {
    const { urls, secret, ttlSeconds } = this.#options;
    if (urls.length === 0 || !secret) return [];
    const username = `${Math.floor(Date.now() / 1_000) + ttlSeconds}:${who}`;
    return [{ urls, username, credential: createHmac('sha1', secret).update(username).digest('base64') }];
  }
}
