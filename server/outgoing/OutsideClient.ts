import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { mayBePublic } from './addressRules.ts';
import { type AddressRules } from './isAllowedAddress.ts';
import { AddressNotAllowed, dnsResolve, guardedLookup, type Resolve } from './guardedLookup.ts';

interface OutsideDeps extends AddressRules {
  /** Resolves names; defaults to DNS. */
  resolve?: Resolve;
}

interface OutsidePost {
  headers: Record<string, string | number>;
  body: string | Buffer | null;
  /** Aborts the request. It must include a time limit. */
  signal: AbortSignal;
  /** The maximum size of the answer. The rest is not read. */
  maxBytes: number;
  /** Called when the connection is established. From then on, the request may have arrived. */
  onConnected?: () => void;
}

export interface OutsideAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The beginning of the body: at most `maxBytes`, and only what arrived within a second after the status. */
  body: Buffer;
}

/**
 * How long the body may take after the status. Only the status matters, so a receiver that never ends its answer must not keep the request
 * for the whole time limit.
 */
const bodyMs = 1_000;

/**
 * Sends requests to URLs given by users: webhooks and push endpoints. The address must be public and must not belong to this server. Names
 * are resolved when a socket connects, and the socket connects only to the addresses that were checked. Redirects are not followed, proxies
 * are not used, and connections are not reused.
 */
export class OutsideClient {
  readonly #rules: AddressRules;
  readonly #lookup: LookupFunction;

  constructor({ resolve = dnsResolve(), ...rules }: OutsideDeps) {
    this.#rules = rules;
    this.#lookup = guardedLookup(resolve, rules);
  }

  /** Checks a URL without DNS, for example when it is registered. */
  mayReach(url: URL): boolean {
    return mayBePublic(url, this.#rules);
  }

  /** @throws AddressNotAllowed, and network errors */
  async post(url: URL, { onConnected, maxBytes, ...post }: OutsidePost): Promise<OutsideAnswer> {
    if (!this.mayReach(url)) throw new AddressNotAllowed();
    const isSecure = url.protocol === 'https:';
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const sent = (isSecure ? https : http).request(url, {
        method: 'POST',
        // A new socket for this request, closed after the answer.
        agent: false,
        lookup: this.#lookup,
        signal: post.signal,
        headers: post.headers,
      });
      if (onConnected)
        sent.on('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', onConnected));
      sent.on('response', resolve);
      sent.on('error', reject);
      sent.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
      sent.end(post.body ?? undefined);
    });
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await beginningOf(response, maxBytes) };
  }
}

/** Reads the first bytes of a body. Only the status matters, so it is not an error if the body breaks off. */
async function beginningOf(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => response.destroy(), bodyMs);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // The connection broke, or the time limit has passed.
  } finally {
    clearTimeout(timer);
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
