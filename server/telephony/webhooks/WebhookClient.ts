import type { OutsideClient } from '../../outgoing/OutsideClient.ts';
import { sign, type Signed } from './sign.ts';

interface ClientDeps {
  outside: OutsideClient;
  /** For everything: name, connection, answer. */
  timeoutMs: number;
}

/** What a receiver answered; or, where it did not, why. */
export type WebhookAnswer =
  { status: number; body: string; error: null } | { status: null; body: null; error: string };

/** As much of an answer as is read. */
const answerBytes = 1_024;

/** Posts signed events. */
export class WebhookClient {
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  /** Never rejects, but for `signal`: whoever aborts does not want to know. */
  async post(url: string, event: Signed, signal: AbortSignal): Promise<WebhookAnswer> {
    const late = AbortSignal.timeout(this.#deps.timeoutMs);
    try {
      const { status, body } = await this.#deps.outside.post(new URL(url), {
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(event.body),
          'user-agent': 'Parley-Webhooks/1',
          ...sign(event, new Date()),
        },
        body: event.body,
        signal: AbortSignal.any([signal, late]),
        maxBytes: answerBytes,
      });
      // PostgreSQL holds no NUL.
      return { status, body: body.toString().replaceAll('\0', '\ufffd'), error: null };
    } catch (error) {
      signal.throwIfAborted();
      return { status: null, body: null, error: late.aborted ? 'timeout' : nameOf(error) };
    }
  }
}

/** ECONNREFUSED, CERT_HAS_EXPIRED …: for the log, and for who looks why nothing comes. */
function nameOf(error: unknown): string {
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(inner instanceof Error)) return 'failed';
  return ('code' in inner && typeof inner.code === 'string' ? inner.code : inner.message).slice(0, 200);
}
