import { ParleyError, type ErrorCode } from '@parley/sdk';
import { english } from '../words/english.ts';
import type { Explanation } from '../words/problems.ts';

/** An error, explained for users. */
export interface Problem {
  code: ErrorCode | 'WALLET' | 'UNKNOWN';
  title: string;
  /** What to do next. */
  advice: string;
  /** Identifies the request in the server's log. */
  requestId?: string;
  /** Whether trying again may help. */
  canRetry: boolean;
}

type Explanations = Record<string, Explanation | undefined>;

/** Errors that trying again may solve. */
const retried = new Set([
  ...['NETWORK_ERROR', 'SERVICE_UNAVAILABLE', 'RATE_LIMIT_EXCEEDED', 'INTERNAL'],
  ...['device_blocked', 'device_blocked_in_frame', 'no_device', 'device_in_use', 'screen_blocked'],
  ...['wallet_rejected', 'wallet_pending', 'wallet_failed'],
  'unknown',
]);

/**
 * Explains any error.
 * @param error what was thrown
 * @param explanations by reason, code or name. @default the English ones
 */
export function explain(error: unknown, explanations: Explanations = english.problems): Problem {
  if (!(error instanceof ParleyError)) return problem('UNKNOWN', 'unknown', error, explanations);
  const wallet = error.code === 'AUTHENTICATION_REQUIRED' ? walletFailure(error.cause) : null;
  if (wallet) return problem('WALLET', wallet, error.cause, explanations);
  const name = [error.reason, deviceFailure(error), error.code].find((each) => each && explanations[each]);
  const { requestId } = error;
  return {
    ...problem(error.code, name ?? 'unknown', error, explanations),
    ...(requestId ? { requestId } : {}),
  };
}

/** Explains an error during sign-in. */
export function explainSignIn(error: unknown, explanations: Explanations = english.problems): Problem {
  const explained = explain(error, explanations);
  if (explained.code !== 'AUTHENTICATION_REQUIRED') return explained;
  return problem(explained.code, 'sign_in_failed', error, explanations);
}

function problem(code: Problem['code'], name: string, error: unknown, explanations: Explanations): Problem {
  const [title, advice] = explanations[name] ?? english.problems['unknown'] ?? ['', ''];
  const seconds = error instanceof ParleyError ? error.retryAfter : undefined;
  return {
    code,
    title,
    advice: advice
      .replace('{message}', sentence(messageOf(error)))
      .replace('{seconds}', seconds === undefined ? 'a moment' : `${Math.ceil(seconds)} s`)
      .trim(),
    canRetry: retried.has(name),
  };
}

/** What failed on this device; null if the error comes from the server. */
function deviceFailure({ code, cause, extra }: ParleyError): string | null {
  if (extra?.['source'] === 'screen') return 'screen_blocked';
  if (code === 'PERMISSION_DENIED') {
    if (globalThis.isSecureContext === false) return 'insecure_page';
    return mayBeBlockedAround() ? 'device_blocked_in_frame' : 'device_blocked';
  }
  if (typeof DOMException === 'undefined' || !(cause instanceof DOMException)) return null;
  return code === 'NOT_FOUND' ? 'no_device' : code === 'CONFLICT' ? 'device_in_use' : null;
}

/** Whether the page around this one may be what blocks the devices. Chromium can tell: its errors have the reason `blocked_by_page`. */
const mayBeBlockedAround = () =>
  typeof document !== 'undefined' && window.parent !== window && !('featurePolicy' in document);

/** Why a wallet did not sign. Wallet errors are objects with a numeric code from EIP-1193 or JSON-RPC. */
function walletFailure(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (typeof code !== 'number') return null;
  return code === 4001 ? 'wallet_rejected' : code === -32002 ? 'wallet_pending' : 'wallet_failed';
}

/** What browsers say when the user has refused. Firefox and Safari say it also when the browser or the system has. */
const refusals = ['denied by user', 'not allowed by the user agent or the platform'];

/** Whether the user dismissed the browser's screen picker. This is not reported as an error. */
export const isOwnRefusal = (error: unknown): boolean =>
  error instanceof ParleyError &&
  error.extra?.['source'] === 'screen' &&
  error.cause instanceof DOMException &&
  error.cause.name === 'NotAllowedError' &&
  refusals.some((refusal) => (error.cause as DOMException).message.includes(refusal));

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : typeof error === 'string' ? error : '';
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
