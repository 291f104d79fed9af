import type { OutsideClient } from '../outgoing/OutsideClient.ts';
import { sign, type Signed } from './sign.ts';

interface ClientDeps {
  outside: OutsideClient;
  /** The time limit for name resolution, connection and answer together. */
  timeoutMs: number;
}

/** The answer of a receiver, or the reason why there was none. */
export type WebhookAnswer =
  | { status: number; body: string; error: null }
  | { status: null; body: null; error: string };

/** How much of an answer is read at most. */
const answerBytes = 1_024;

/** Posts signed events. */
export class WebhookClient {
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  /** Rejects only if `signal` aborts. */
  async post(url: string, event: Signed, signal: AbortSignal): Promise<WebhookAnswer> {
    signal.throwIfAborted();
    // Not AbortSignal.any(): in Node.js 20, a signal that lives long keeps something of each signal that was made of it.
    const attempt = new AbortController();
    const end = () => attempt.abort();
    const late = setTimeout(end, this.#deps.timeoutMs);
    signal.addEventListener('abort', end);
    try {
      const { status, body } = await this.#deps.outside.post(new URL(url), {
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(event.body),
          'user-agent': 'Parley-Webhooks/1',
          ...sign(event, new Date()),
        },
        body: event.body,
        signal: attempt.signal,
        maxBytes: answerBytes,
      });
      // PostgreSQL cannot store NUL characters.
      return { status, body: body.toString().replaceAll('\0', '\ufffd'), error: null };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, body: null, error: attempt.signal.aborted ? 'timeout' : nameOf(error) };
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', end);
    }
  }
}

/** The name of an error for the delivery log, such as ECONNREFUSED or CERT_HAS_EXPIRED. */
function nameOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error)) return 'failed';
  return ('code' in inner && typeof inner.code === 'string' ? inner.code : inner.message).slice(0, 200);
}
