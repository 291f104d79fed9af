import { ParleyError } from '../../sdk/protocol/errors.ts';
import { fetchNamed } from './fetchNamed.ts';

/** A provider's HTTP API. */
export interface Upstream {
  /** Name of the provider in messages and logs. */
  name: string;
  /** Base URL, without a slash at the end. */
  url: string;
  /** The headers of every request, including the credentials. */
  headers: Record<string, string>;
}

interface UpstreamRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  query?: Record<string, string | undefined>;
  /** Sent as JSON. */
  json?: object;
  /** Sent as a form. */
  form?: Record<string, string>;
  timeoutMs?: number;
  /** The maximum size of the answer. A longer answer is an error. */
  maxBytes?: number;
}

export interface UpstreamReply {
  status: number;
  headers: Headers;
  text: string;
}

const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 1_000_000;

/**
 * Sends a request to a provider and returns the answer, whatever its status. Redirects are errors, because the request contains
 * credentials.
 * @throws ParleyError upstream_error if there is no answer; the outcome at the provider is then unknown
 */
export async function requestUpstream(
  { name, url, headers }: Upstream,
  path: string,
  request: UpstreamRequest = {},
): Promise<UpstreamReply> {
  const target = new URL(url + path);
  for (const [key, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) target.searchParams.set(key, value);
  const { json, form, timeoutMs = defaultTimeoutMs, maxBytes = defaultMaxBytes } = request;
  try {
    const init = {
      method: request.method ?? 'GET',
      headers: { ...headers, ...(json ? { 'content-type': 'application/json' } : {}), ...request.headers },
      ...(json ? { body: JSON.stringify(json) } : form ? { body: new URLSearchParams(form) } : {}),
    };
    const response = await fetchNamed(target, init, { timeoutMs, maxBytes });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    throw upstreamError(name, 'did not answer', cause);
  }
}

/** @param what the failure. It is logged and sent to the client, so it must contain no data of the request. */
export const upstreamError = (name: string, what: string, cause?: unknown) =>
  new ParleyError('SERVICE_UNAVAILABLE', `${name} ${what}. Try again later.`, {
    reason: 'upstream_error',
    cause,
  });

/** The error for a provider that limits our requests. @param retryAfter in seconds */
export const upstreamBusy = (name: string, retryAfter: number) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    `${name} accepts no more requests at the moment. Try again in ${retryAfter} s.`,
    {
      retryAfter,
    },
  );

/** The number of seconds in a Retry-After header; 60 if the header is missing or is a date. */
export function retryAfterOf(headers: Headers): number {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,5}$/.test(text) ? Math.max(1, Number(text)) : 60;
}

/** Parses the body as JSON. @throws ParleyError upstream_error if it is not JSON */
export function jsonOf(name: string, { text }: UpstreamReply): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw upstreamError(name, 'sent an unreadable answer', cause);
  }
}
