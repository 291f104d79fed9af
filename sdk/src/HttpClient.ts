import { ParleyError, type ErrorCode, type ErrorDetail } from '../protocol/errors.ts';
import { fromWire } from './fromWire.ts';
import type { FromWire } from '../protocol/common.ts';

const requestTimeoutMs = 30_000;

/** What the HTTP side says when it refuses; a proxy in between may say anything. */
interface HttpErrorBody {
  error?: unknown;
  message?: unknown;
  requestId?: unknown;
  details?: unknown;
  retryAfter?: unknown;
}

/** The HTTP API: JSON in, JSON out, every refusal a ParleyError. */
export class HttpClient {
  readonly #baseUrl: string;
  readonly #credential: () => string | undefined;

  constructor(options: { baseUrl: string; credential: () => string | undefined }) {
    this.#baseUrl = options.baseUrl;
    this.#credential = options.credential;
  }

  /** @param path below /api/v1, with a leading slash */
  async request<Wire>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<FromWire<Wire>> {
    const response = await this.#fetch(method, path, body);
    const answer = parseJson(await response.text().catch(() => ''));
    if (!response.ok) throw asError(response, isObject(answer) ? answer : {});
    // A login page of the network in between, or an answer that broke off.
    if (answer === undefined) throw unreachable();
    return fromWire(answer as Wire);
  }

  async #fetch(method: string, path: string, body: unknown): Promise<Response> {
    const credential = this.#credential();
    try {
      return await fetch(`${this.#baseUrl}/api/v1${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(credential ? { Authorization: `Bearer ${credential}` } : {}),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(requestTimeoutMs),
      });
    } catch (cause) {
      throw unreachable(cause);
    }
  }
}

const unreachable = (cause?: unknown) =>
  new ParleyError('NETWORK_ERROR', 'The server can’t be reached: check the network and try again.', {
    cause,
  });

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
  const { message, requestId, retryAfter } = body;
  const details = Array.isArray(body.details) ? (body.details as ErrorDetail[]) : undefined;
  return new ParleyError(
    codeOf(response.status, body.error, details),
    typeof message === 'string' ? message : `The server answered ${response.status}.`,
    {
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
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMIT_EXCEEDED',
  500: 'INTERNAL',
  502: 'SERVICE_UNAVAILABLE',
  503: 'SERVICE_UNAVAILABLE',
  504: 'SERVICE_UNAVAILABLE',
};

function codeOf(status: number, name: unknown, details: ErrorDetail[] | undefined): ErrorCode {
  if (name === 'missing_scope') return 'MISSING_SCOPE';
  if (details?.some((detail) => detail?.code === 'invalid_address')) return 'INVALID_ADDRESS';
  return codeByStatus[status] ?? (status >= 500 ? 'INTERNAL' : 'VALIDATION_ERROR');
}
