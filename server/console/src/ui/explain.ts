import { ParleyError, type ErrorCode } from '@parley/sdk';
import { explainReason } from './explainReason.ts';

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

/** Explains an error during sign-in. */
export function explainSignIn(error: unknown): Problem {
  const problem = explain(error);
  if (problem.code !== 'AUTHENTICATION_REQUIRED') return problem;
  const why = error instanceof Error ? sentence(error.message) : problem.advice;
  return { ...problem, title: 'Sign-in failed', advice: why };
}

/** Explains why the identity provider did not sign in the user. */
export function explainProvider(error: unknown): Problem {
  if (error instanceof ParleyError) return explainSignIn(error);
  // The fields of the provider's answer, by their names in OAuth.
  const { error: name, error_description: description } = (error ?? {}) as Record<string, unknown>;
  if (name === 'access_denied') {
    const explanation = no('Sign-in was cancelled', 'Nothing was changed. You can try again.');
    return { code: 'UNKNOWN', ...explanation };
  }
  const why =
    typeof description === 'string' ? description : error instanceof Error ? error.message : String(error);
  return {
    code: 'UNKNOWN',
    ...no('The identity provider did not sign you in', `${sentence(why)} Try again.`),
  };
}

/** Explains any error. */
export function explain(error: unknown): Problem {
  if (isFromProvider(error)) return explainProvider(error);
  if (error instanceof ParleyError) {
    return (error.code === 'AUTHENTICATION_REQUIRED' && explainWallet(error.cause)) || explainParley(error);
  }
  return explainUnknown(error);
}

/** Whether an error is the identity provider's. It is recognised by its code, because minification changes class names. */
const isFromProvider = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';

function explainParley(error: ParleyError): Problem {
  const { title, advice, canRetry } = describeParleyError(error);
  return {
    code: error.code,
    title,
    advice,
    canRetry,
    ...(error.requestId ? { requestId: error.requestId } : {}),
  };
}

type Explanation = Pick<Problem, 'title' | 'advice' | 'canRetry'>;

function describeParleyError(error: ParleyError): Explanation {
  const explanation = explainReason(error);
  if (explanation) return no(...explanation);
  switch (error.code) {
    case 'PERMISSION_DENIED':
      return permission();
    case 'NETWORK_ERROR':
      return retry('The server did not respond', 'Check your internet connection and try again.');
    case 'SERVICE_UNAVAILABLE':
      return retry('The server is not ready', 'Wait a moment, then try again.');
    case 'RATE_LIMIT_EXCEEDED':
      return retry('Too many requests', `Try again in ${wait(error.retryAfter)}.`);
    case 'INVALID_ADDRESS':
      return no(
        'Invalid wallet address',
        'An address is 0x followed by 40 digits. Copy the whole address again.',
      );
    case 'AUTHENTICATION_REQUIRED':
      return no('You are no longer signed in', 'Sign in again to continue.');
    case 'ACCESS_DENIED':
      if (error.reason === 'session_required') {
        return no('This needs a new session', 'Sign out and sign in again on this page.');
      }
      return no('You do not have access', sentence(error.message));
    case 'MISSING_SCOPE':
      return no('You do not have access', sentence(error.message));
    case 'NOT_FOUND':
      if (isFromDevice(error)) {
        return retry(
          'No camera or microphone found',
          'Connect a device and try again, or call without video.',
        );
      }
      return no('Not found', sentence(error.message));
    case 'CONFLICT':
      if (isFromDevice(error)) {
        return retry(
          'The camera or microphone is in use',
          'Close the other program that uses it and try again.',
        );
      }
      return no('This is not possible now', sentence(error.message));
    case 'INSUFFICIENT_BALANCE':
      return no('Not enough credits', sentence(error.message));
    case 'VALIDATION_ERROR':
    case 'ROOM_FULL':
      return no('The server rejected the request', sentence(error.message));
    case 'INTERNAL':
      return retry(
        'Server error',
        'Try again. The operator finds the details in the server’s log by the request ID below.',
      );
  }
}

/** Whether an error comes from the browser, not from the server. */
const isFromDevice = ({ cause }: ParleyError) => cause instanceof DOMException;

function permission(): Explanation {
  if (!window.isSecureContext) {
    return no(
      'Camera and microphone are not available',
      'Browsers allow them only on https and localhost. Start the server with “npm start -- --https” and open the https address.',
    );
  }
  return retry(
    'The camera or microphone is blocked',
    'Click the camera or lock icon next to the address bar, allow both for this page and try again.',
  );
}

/** Explains why a wallet did not sign. Wallet errors are objects with a numeric code from EIP-1193 or JSON-RPC. */
function explainWallet(error: unknown): Problem | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  if (typeof code !== 'number') return null;
  if (code === 4001) {
    return {
      code: 'WALLET',
      ...retry('Your wallet did not sign', 'Sign in again and confirm the message. It is free.'),
    };
  }
  if (code === -32002) {
    return {
      code: 'WALLET',
      ...retry('Your wallet is waiting for you', 'Open the wallet, answer its request and sign in again.'),
    };
  }
  const { message } = error as { message?: unknown };
  const report = typeof message === 'string' && message ? `It reports: ${sentence(message)}` : '';
  return { code: 'WALLET', ...retry('Your wallet did not sign', `${report} Sign in again.`.trim()) };
}

function explainUnknown(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'UNKNOWN',
    ...retry('Something went wrong', `${sentence(message)} Reload the page if this happens again.`),
  };
}

const retry = (title: string, advice: string): Explanation => ({ title, advice, canRetry: true });
const no = (title: string, advice: string): Explanation => ({ title, advice, canRetry: false });

const wait = (seconds: number | undefined) =>
  seconds === undefined ? 'a moment' : `${Math.ceil(seconds)} s`;

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
