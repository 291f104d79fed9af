import { unreachedCodes } from '../../platform/errors.ts';
import type { PushTarget } from '../../sdk/protocol/notifications.ts';
import type { Push, PushOutcome } from '../../signaling/notifications/PushSender.ts';

export type TargetOf<Service extends PushTarget['service']> = Extract<PushTarget, { service: Service }>;

/** The port that every push service implements. */
export interface PushDriver<Service extends PushTarget['service']> {
  /** @throws ParleyError VALIDATION_ERROR for a target that cannot be reached */
  check?(target: TargetOf<Service>): void;
  /** Tries once. Never rejects. */
  send(target: TargetOf<Service>, push: Push): Promise<PushOutcome>;
  close?(): void;
}

/** The time limit for name resolution, connection and answer together. Shorter than the lease of a scheduled job. */
export const sendTimeoutMs = 8_000;

/** The outcome for an HTTP status. All three services use the same statuses. */
export function outcomeOf(status: number, retryAfter: string | null | undefined, why: string): PushOutcome {
  if (status >= 200 && status < 300) return { state: 'sent' };
  const description = `${status} ${why}`.trim();
  if (status === 404 || status === 410) return { state: 'gone' };
  if (status === 429 || status >= 500)
    return { state: 'later', afterSeconds: readRetryAfter(retryAfter), why: description };
  return { state: 'failed', why: description };
}

/** The service closed an HTTP/2 stream that it has not begun to process. */
export const refusedStream = 'NGHTTP2_REFUSED_STREAM';

/** Errors after which the service has certainly not sent the push. */
const unreached = new Set([
  ...unreachedCodes,
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_HTTP2_GOAWAY_SESSION',
  refusedStream,
]);

/**
 * The outcome of a request without an answer. Once the request was written, the service may have sent the push, so it is not sent again.
 * @param reached whether the request was written
 */
export function outcomeOfError(error: unknown, reached: boolean): PushOutcome {
  const why = nameOf(error);
  if (!reached || unreached.has(why)) return { state: 'later', afterSeconds: null, why };
  return { state: 'failed', why, mayHaveArrived: true };
}

/**
 * The name of the error, such as ECONNREFUSED or CERT_HAS_EXPIRED. fetch and Happy Eyeballs wrap the original error, which is looked for
 * here.
 */
function nameOf(error: unknown): string {
  if (error instanceof AggregateError) return nameOf(error.errors[0]);
  if (!(error instanceof Error)) return 'failed';
  if (error.cause instanceof Error) return nameOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Retry-After is a number of seconds or a date (RFC 9110). */
function readRetryAfter(text: string | null | undefined): number | null {
  if (!text) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
