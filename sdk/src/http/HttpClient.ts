import { ParleyError, type ErrorCode, type ErrorDetail } from '../../protocol/errors.ts';
import type { Reason } from '../../protocol/reasons.ts';
import { checkBaseUrl, diagnose, notParley, unreachable } from '../connection/diagnose.ts';
import { fromWire } from '../connection/fromWire.ts';
import { newIdempotencyKey } from './newIdempotencyKey.ts';
import { Deadline, wait } from '../platform/abort.ts';
import { Platform } from '../platform/Platform.ts';
import type { FromWire } from '../../protocol/common.ts';

const requestTimeoutMs = 30_000;

/** The body of an HTTP error. A proxy may send anything, so every field is unknown. */
interface HttpErrorBody extends Record<string, unknown> {
  error?: unknown;
  message?: unknown;
  requestId?: unknown;
  details?: unknown;
  retryAfter?: unknown;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface RequestOptions {
  /** Undefined fields are left out. Dates become ISO 8601 text. */
  query?: object | undefined;
  /** Makes a POST safe to repeat: the server runs it only once. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  /** A body that is not JSON. */
  bytes?: Blob | Uint8Array<ArrayBuffer>;
  signal?: AbortSignal | undefined;
}

interface HttpClientOptions {
  /** The server's URL; empty if the app has named none. */
  baseUrl: string;
  platform?: Platform;
  /** Returns the bearer token. Not called for public routes such as sign-in. */
  credential: () => Promise<string | undefined>;
  /** Renews the credential after the server has reported that it has expired. */
  renew?: () => Promise<unknown>;
}

/** The maximum number of attempts. */
const attempts = 3;
/** The pause after the first attempt. It doubles with every attempt, and is randomly shortened so that clients do not all retry at once. */
const firstPauseMs = 300;
/** The maximum pause. If the server asks for a longer one, the request fails without a retry. */
const longestPauseMs = 5_000;

/** A client of the HTTP API with JSON bodies. It throws ParleyError, and retries idempotent requests after transient failures. */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #platform: Platform;

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#platform = options.platform ?? new Platform();
  }

  /**
   * Sends a request.
   * @param path the path below /api/v1, with a leading slash
   * @throws ParleyError with the server's error, NETWORK_ERROR, or ACCESS_DENIED (the server does not allow this page's origin)
   */
  async request<Wire>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<FromWire<Wire>> {
    const mayRepeat = ['GET', 'PUT', 'DELETE'].includes(method) || options.idempotencyKey !== undefined;
    let renewed = false;
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#once<Wire>(method, path, body, options);
      } catch (error) {
        if (this.#options.renew && !renewed && hasExpired(error)) {
          renewed = true;
          await this.#options.renew();
          continue;
        }
        const pauseMs = pauseBefore(error, attempt);
        if (!mayRepeat || pauseMs === null || attempt >= attempts) throw error;
        await wait(pauseMs, options.signal);
        if (options.signal?.aborted) throw error;
      }
    }
  }

  /** Sends a GET. @param query undefined fields are left out, Dates become ISO 8601 text */
  get<Wire>(path: string, query?: object): Promise<FromWire<Wire>> {
    return this.request<Wire>('GET', path, undefined, { query });
  }

  /** Sends a POST that the server runs only once, even if it is retried. @param idempotencyKey the app's own key. @default a new key */
  once<Wire>(path: string, body?: unknown, idempotencyKey = newIdempotencyKey()): Promise<FromWire<Wire>> {
    return this.request<Wire>('POST', path, body, { idempotencyKey });
  }

  async #once<Wire>(
    method: Method,
    path: string,
    body: unknown,
    options: RequestOptions,
  ): Promise<FromWire<Wire>> {
    checkBaseUrl(this.#options.baseUrl);
    const credential = isPublic(path) ? undefined : await this.#options.credential();
    const deadline = new Deadline(requestTimeoutMs, options.signal);
    try {
      const response = await this.#fetch(method, path, {
        ...options,
        body,
        credential,
        signal: deadline.signal,
      });
      const answer = response.status === 204 ? {} : parseJson(await response.text().catch(() => ''));
      // The response is not JSON: the login page of a network, the page of another server, or a truncated response.
      if (answer === undefined && response.status < 500 && response.status !== 429)
        throw notParley(this.#options.baseUrl);
      if (!response.ok) throw asError(response, isObject(answer) ? answer : {});
      return fromWire(answer as Wire);
    } finally {
      deadline.end();
    }
  }

  async #fetch(
    method: Method,
    path: string,
    options: RequestOptions & { body: unknown; credential: string | undefined; signal: AbortSignal },
  ): Promise<Response> {
    const { body, credential, query, idempotencyKey, headers = {}, bytes, signal } = options;
    const { baseUrl } = this.#options;
    const content = bytes ?? (body === undefined ? undefined : JSON.stringify(body));
    try {
      return await fetch(`${baseUrl}/api/v1${path}${toQuery(query)}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(credential ? { Authorization: `Bearer ${credential}` } : {}),
          ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
          ...headers,
        },
        ...(content === undefined ? {} : { body: content }),
        signal,
      });
    } catch (cause) {
      if (signal.aborted || !this.#isForeignPage()) throw unreachable(cause);
      throw await diagnose(baseUrl, this.#platform, cause);
    }
  }

  /** Whether the page has a different origin from the server. Only from such pages do browsers hide why a request failed. */
  #isForeignPage(): boolean {
    const { page } = this.#platform;
    return page !== null && !`${this.#options.baseUrl}/`.startsWith(`${page.origin}/`);
  }
}

/** Whether a path needs no sign-in. */
const isPublic = (path: string) => path.startsWith('/auth/') || path === '/status';

function toQuery(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  if (given.length === 0) return '';
  const text = (value: unknown) => (value instanceof Date ? value.toISOString() : String(value));
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(text(value))}`).join('&')}`;
}

const hasExpired = (error: unknown) => error instanceof ParleyError && error.reason === 'token_expired';

/** @returns the milliseconds to wait before the next attempt; null if the error is not transient, or the server asks for a longer pause */
function pauseBefore(error: unknown, attempt: number): number | null {
  if (!(error instanceof ParleyError)) return null;
  const mayPass =
    ['NETWORK_ERROR', 'SERVICE_UNAVAILABLE', 'INTERNAL', 'RATE_LIMIT_EXCEEDED'].includes(error.code) ||
    error.reason === 'idempotency_in_progress';
  if (!mayPass) return null;
  const backoffMs = firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  const pauseMs = Math.max(backoffMs, (error.retryAfter ?? 0) * 1_000);
  return pauseMs <= longestPauseMs ? pauseMs : null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function asError(response: Response, body: HttpErrorBody): ParleyError {
  const { error, message, requestId, details: _, retryAfter, ...extra } = body;
  const name = typeof error === 'string' ? error : 'proxy_error';
  // A 402 has the reason of the payment there.
  const isOfRules = typeof extra.reason === 'string' && response.status !== 402;
  const reason = (isOfRules ? extra.reason : name) as Reason;
  const details = Array.isArray(body.details) ? (body.details as ErrorDetail[]) : undefined;
  return new ParleyError(
    codeOf(response.status, name, details),
    typeof message === 'string' ? message : `The server answered ${response.status}.`,
    {
      reason,
      extra,
      requestId:
        typeof requestId === 'string' ? requestId : (response.headers.get('X-Request-Id') ?? undefined),
      details,
      retryAfter:
        typeof retryAfter === 'number'
          ? retryAfter
          : Number(response.headers.get('Retry-After')) || undefined,
    },
  );
}

const codeByStatus: Record<number, ErrorCode> = {
  400: 'VALIDATION_ERROR',
  401: 'AUTHENTICATION_REQUIRED',
  402: 'INSUFFICIENT_BALANCE',
  403: 'ACCESS_DENIED',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'VALIDATION_ERROR',
  415: 'VALIDATION_ERROR',
  421: 'ACCESS_DENIED',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL',
  502: 'SERVICE_UNAVAILABLE',
  503: 'SERVICE_UNAVAILABLE',
  504: 'SERVICE_UNAVAILABLE',
};

function codeOf(status: number, name: string, details: ErrorDetail[] | undefined): ErrorCode {
  if (name === 'missing_scope') return 'MISSING_SCOPE';
  if (name === 'room_full') return 'ROOM_FULL';
  if (details?.some((detail) => detail?.code === 'invalid_address')) return 'INVALID_ADDRESS';
  return codeByStatus[status] ?? (status >= 500 ? 'INTERNAL' : 'VALIDATION_ERROR');
}
