import { ParleyError } from '../../sdk/protocol/errors.ts';
import { fetchNamed } from './fetchNamed.ts';

/** A provider's HTTP API. */
export interface Upstream {
  /** As people call it: in messages and log lines. */
  name: string;
  /** Without a slash at its end. */
  url: string;
  /** Sent with every request: its credentials. */
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
  /** More than that is not read. */
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
 * Asks a provider. Any status is an answer; redirects are not followed, since credentials go along.
 * @throws ParleyError upstream_error when there was none: what the provider did is then unknown
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

/** @param what never what was asked: it goes into the log, and to the client */
export const upstreamError = (name: string, what: string, cause?: unknown) =>
  new ParleyError('SERVICE_UNAVAILABLE', `${name} ${what}: try again later.`, {
    reason: 'upstream_error',
    cause,
  });

/** For a provider that has no time for us now. @param retryAfter seconds */
export const upstreamBusy = (name: string, retryAfter: number) =>
  new ParleyError('SERVICE_UNAVAILABLE', `${name} takes no more requests for now.`, {
    reason: 'service_unavailable',
    retryAfter,
  });

/** Seconds, of a Retry-After header; one that is missing or a date counts as a minute. */
export function retryAfterOf(headers: Headers): number {
  const text = headers.get('retry-after') ?? '';
  return /^\d{1,5}$/.test(text) ? Math.max(1, Number(text)) : 60;
}

/** The body as JSON. @throws ParleyError upstream_error for anything else */
export function jsonOf(name: string, { text }: UpstreamReply): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw upstreamError(name, 'answered something unreadable', cause);
  }
}
