import { createHmac } from 'node:crypto';
import type { IceServers } from '../../sdk/protocol/media.ts';

interface TurnOptions {
  /**
   * `turn:` and `turns:` URLs; empty without a TURN server.
   * @param media the addresses of the media that the client is to reach; without them, the URLs of all servers
   */
  urls: (media?: string[]) => string[];
  /** Returns the secret shared with the TURN server (coturn: static-auth-secret). It changes when SECRET_KEY is rotated. */
  secret: () => string | undefined;
  ttlSeconds: number;
}

/** Creates TURN credentials that expire, so that the relay cannot be used without limit (coturn: use-auth-secret). */
export class TurnServers {
  readonly #options: TurnOptions;

  constructor(options: TurnOptions) {
    this.#options = options;
  }

  /**
   * @param who the user of the credentials: a wallet, a guest, or a WHIP or WHEP client. A TURN server limits the relays of each
   * @param candidates those of the media that the client is to reach, if known
   */
  for(who: string, candidates?: { address: string }[]): IceServers {
    const { ttlSeconds } = this.#options;
    const secret = this.#options.secret();
    const urls = this.#options.urls(candidates?.map(({ address }) => address));
    if (urls.length === 0 || !secret) return [];
    const username = `${Math.floor(Date.now() / 1_000) + ttlSeconds}:${who}`;
    return [{ urls, username, credential: createHmac('sha1', secret).update(username).digest('base64') }];
  }
}

/**
 * The URLs of the TURN servers that the nodes run. Each relays to its own node's media only, so clients get those of the nodes whose media
 * they use.
 * @param media as in TurnOptions
 */
export function turnUrlsOf(
  nodes: { turn: { urls: string[]; media: string[] } | null }[],
  media?: string[],
): string[] {
  const servers = nodes.flatMap(({ turn }) => turn ?? []);
  const near = servers.filter((server) => media?.some((address) => server.media.includes(address)));
  const urls = (near.length > 0 ? near : servers).flatMap((server) => server.urls);
  // Browsers ask every server for a relay, so more of them only make connecting slower.
  return [...new Set(urls)].slice(0, maxUrls);
}

const maxUrls = 9;
