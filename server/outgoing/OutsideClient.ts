import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { mayBePublic } from './addressRules.ts';
import { type AddressRules } from './isAllowedAddress.ts';
import { AddressNotAllowed, dnsResolve, guardedLookup, type Resolve } from './guardedLookup.ts';

interface OutsideDeps extends AddressRules {
  /** DNS. */
  resolve?: Resolve;
}

interface OutsidePost {
  headers: Record<string, string | number>;
  body: string | Buffer | null;
  /** Ends it, whatever it waits for. There has to be a time limit in it. */
  signal: AbortSignal;
  /** As much of the answer as is read. */
  maxBytes: number;
  /** There is a connection: from here on the request may have arrived. */
  onConnected?: () => void;
}

export interface OutsideAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** The beginning of the body, as far as it came in time. */
  body: Buffer;
}

/**
 * The way to addresses that strangers name: webhooks and push endpoints. They have to be public ones, and not this server's own.
 * Names are resolved when the socket connects, and it connects to the very addresses that were checked. No redirects, no
 * proxy, and no connection that was opened for somebody else.
 */
export class OutsideClient {
  readonly #rules: AddressRules;
  readonly #lookup: LookupFunction;

  constructor({ resolve = dnsResolve(), ...rules }: OutsideDeps) {
    this.#rules = rules;
    this.#lookup = guardedLookup(resolve, rules);
  }

  /** What can be said before anybody is asked: for when an address is registered. */
  mayReach(url: URL): boolean {
    return mayBePublic(url, this.#rules);
  }

  /** @throws AddressNotAllowed, and whatever the network does */
  async post(url: URL, { onConnected, maxBytes, ...post }: OutsidePost): Promise<OutsideAnswer> {
    if (!this.mayReach(url)) throw new AddressNotAllowed();
    const isSecure = url.protocol === 'https:';
    const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const sent = (isSecure ? https : http).request(url, {
        method: 'POST',
        // A socket of its own, which ends with the answer.
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

/** The status is the answer; of what follows a little is kept. */
async function beginningOf(response: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch {
    // It broke off, or the time is over.
  }
  response.destroy();
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
