import type { PushTarget } from '../../sdk/protocol/notifications.ts';
import type { Push, PushOutcome } from '../../signaling/notifications/PushSender.ts';

export type TargetOf<Service extends PushTarget['service']> = Extract<PushTarget, { service: Service }>;

/** One service that wakes devices. */
export interface PushDriver<Service extends PushTarget['service']> {
  /** @throws ParleyError VALIDATION_ERROR for a target nothing can be sent to */
  check(target: TargetOf<Service>): void;
  /** Tries once. Never rejects. */
  send(target: TargetOf<Service>, push: Push): Promise<PushOutcome>;
  close(): void;
}

/** For everything: name, connection, answer. Less than a due row's lease. */
export const sendTimeoutMs = 8_000;

/** What an answer's status means, as all three services mean it. */
export function outcomeOf(status: number, retryAfter: string | null | undefined, why: string): PushOutcome {
  if (status >= 200 && status < 300) return { state: 'sent' };
  const told = `${status} ${why}`.trim();
  if (status === 404 || status === 410) return { state: 'gone' };
  if (status === 429 || status >= 500)
    return { state: 'later', afterSeconds: readRetryAfter(retryAfter), why: told };
  return { state: 'failed', why: told };
}

/** Nobody was reached: nothing can have been sent. */
const unreached = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_HTTP2_GOAWAY_SESSION',
]);

/** Without an answer nobody knows whether it was sent; and nothing is sent twice. @param reached whether the request was written */
export function outcomeOfError(error: unknown, reached: boolean): PushOutcome {
  const why = nameOf(error);
  if (!reached || unreached.has(why)) return { state: 'later', afterSeconds: null, why };
  return { state: 'failed', why };
}

/** ECONNREFUSED, CERT_HAS_EXPIRED …: what fetch and Happy Eyeballs hide is inside. */
function nameOf(error: unknown): string {
  if (error instanceof AggregateError) return nameOf(error.errors[0]);
  if (!(error instanceof Error)) return 'failed';
  if (error.cause instanceof Error) return nameOf(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Seconds, or a date (RFC 9110). */
function readRetryAfter(text: string | null | undefined): number | null {
  if (!text) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}
