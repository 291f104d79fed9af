import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf } from './checkWebhookUrl.ts';
import { AddressNotAllowed, guardedLookup, type Resolve } from './guardedLookup.ts';
import { isAllowedAddress } from './isAllowedAddress.ts';
import { sign, type Signed } from './sign.ts';

interface ClientDeps {
  /** DNS. */
  resolve: Resolve;
  /** This machine, and http. */
  allowLoopback: boolean;
  /** For everything: name, connection, answer. */
  timeoutMs: number;
}

/** What a receiver answered; or, where it did not, why. */
export type WebhookAnswer =
  { status: number; body: string; error: null } | { status: null; body: null; error: string };

/** As much of an answer as is read. */
const answerBytes = 1_024;

/** Posts signed events. Follows no redirects, and connects to no address inside. */
export class WebhookClient {
  readonly #deps: ClientDeps;
  readonly #lookup: LookupFunction;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
    this.#lookup = guardedLookup(deps.resolve, deps);
  }

  /** Never rejects, but for `signal`: whoever aborts does not want to know. */
  async post(url: string, event: Signed, signal: AbortSignal): Promise<WebhookAnswer> {
    const late = AbortSignal.timeout(this.#deps.timeoutMs);
    try {
      return await this.#request(new URL(url), event, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, body: null, error: late.aborted ? 'timeout' : nameOf(error) };
    }
  }

  #request(url: URL, event: Signed, signal: AbortSignal): Promise<WebhookAnswer> {
    const { allowLoopback } = this.#deps;
    const host = hostOf(url);
    // No name, no lookup: the socket would connect straight away.
    if (isIP(host) && !isAllowedAddress(host, { allowLoopback })) throw new AddressNotAllowed();
    const isSecure = url.protocol === 'https:';
    if (!isSecure && !allowLoopback) throw new AddressNotAllowed();
    return new Promise((resolve, reject) => {
      const sent = (isSecure ? https : http).request(url, {
        method: 'POST',
        // A socket of its own, which ends with the answer: none that was checked for somebody else's name.
        agent: false,
        lookup: this.#lookup,
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(event.body),
          'user-agent': 'Parley-Webhooks/1',
          ...sign(event, new Date()),
        },
      });
      sent.on('response', (response) => resolve(read(response, sent)));
      sent.on('error', reject);
      sent.on('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
      sent.end(event.body);
    });
  }
}

/** The status is the answer; of what follows a little is kept, as far as it comes in time. */
async function read(response: http.IncomingMessage, sent: http.ClientRequest): Promise<WebhookAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= answerBytes) break;
    }
  } catch {
    // It broke off, or the time is over.
  }
  sent.destroy();
  const text = Buffer.concat(chunks).subarray(0, answerBytes).toString();
  // PostgreSQL holds no NUL.
  return { status: response.statusCode ?? 0, body: text.replaceAll('\0', '\ufffd'), error: null };
}

/** ECONNREFUSED, CERT_HAS_EXPIRED …: for the log, and for who looks why nothing comes. */
function nameOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error)) return 'failed';
  return ('code' in inner && typeof inner.code === 'string' ? inner.code : inner.message).slice(0, 200);
}
