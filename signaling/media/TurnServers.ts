import { createHmac } from 'node:crypto';
import type { IceServers } from '../../sdk/protocol/media.ts';

interface TurnOptions {
  /** `turn:` and `turns:` addresses; none where no TURN server is configured. */
  urls: string[];
  /** What the TURN server shares with us (coturn: static-auth-secret). */
  secret: string | undefined;
  ttlSeconds: number;
}

/** Credentials for TURN servers that end by themselves, so that nobody relays with them for ever (coturn: use-auth-secret). */
export class TurnServers {
  readonly #options: TurnOptions;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /** @param who whom they are for: a wallet, a stream */
  for(who: string): IceServers {
    const { urls, secret, ttlSeconds } = this.#options;
    if (urls.length === 0 || !secret) return [];
    const username = `${Math.floor(Date.now() / 1_000) + ttlSeconds}:${who}`;
    return [{ urls, username, credential: createHmac('sha1', secret).update(username).digest('base64') }];
  }
}
