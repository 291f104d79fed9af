import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ParleyError } from '../../protocol/errors.ts';
import { HttpClient } from './HttpClient.ts';

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** The result or error of request() for a server's response. */
async function outcomeOf(listener: RequestListener): Promise<unknown> {
  const made = createServer(listener).listen(0, '127.0.0.1');
  server = made;
  await new Promise((resolve) => made.once('listening', resolve));
  const { port } = made.address() as AddressInfo;
  const http = new HttpClient({
    baseUrl: `http://127.0.0.1:${port}`,
    credential: () => Promise.resolve(undefined),
  });
  return http.request('GET', '/x').catch((error: unknown) => error);
}

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

it('returns the response with times as Dates', async () => {
  const body =
    '{"createdAt":"2026-11-20T12:00:00.000Z","name":"2026-11-20T12:00:00.000Z","list":[{"timestamp":"2026-11-20T12:00:00.000Z"}]}';
  expect(await outcomeOf(answer(200, body))).toEqual({
    createdAt: new Date('2026-11-20T12:00:00Z'),
    name: '2026-11-20T12:00:00.000Z',
    list: [{ timestamp: new Date('2026-11-20T12:00:00Z') }],
  });
});

it.each<[number, object, string]>([
  [400, { error: 'invalid_json' }, 'VALIDATION_ERROR'],
  [401, { error: 'invalid_token' }, 'AUTHENTICATION_REQUIRED'],
  [402, { error: 'insufficient_credits' }, 'INSUFFICIENT_BALANCE'],
  [403, { error: 'missing_scope' }, 'MISSING_SCOPE'],
  [403, { error: 'access_denied' }, 'ACCESS_DENIED'],
  [404, { error: 'not_found' }, 'NOT_FOUND'],
  [409, { error: 'conflict' }, 'CONFLICT'],
  [413, { error: 'payload_too_large' }, 'VALIDATION_ERROR'],
  [415, { error: 'unsupported_media_type' }, 'VALIDATION_ERROR'],
  [421, { error: 'misdirected_request' }, 'ACCESS_DENIED'],
  [
    422,
    { error: 'validation_failed', details: [{ path: 'to', code: 'invalid_address', message: '' }] },
    'INVALID_ADDRESS',
  ],
  [
    422,
    { error: 'validation_failed', details: [{ path: 'to', code: 'too_big', message: '' }] },
    'VALIDATION_ERROR',
  ],
  [418, {}, 'VALIDATION_ERROR'],
  [429, { error: 'rate_limit_exceeded', retryAfter: 7 }, 'RATE_LIMIT_EXCEEDED'],
  [500, { error: 'internal_error' }, 'INTERNAL'],
  [502, { error: 'upstream_error' }, 'SERVICE_UNAVAILABLE'],
  [503, { error: 'service_unavailable' }, 'SERVICE_UNAVAILABLE'],
  [507, {}, 'INTERNAL'],
])('rejects %i with its code', async (status, body, code) => {
  const error = await outcomeOf(
    answer(status, JSON.stringify({ message: 'a message', requestId: 'req_1', ...body })),
  );
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toMatchObject({
    code,
    message: 'a message',
    requestId: 'req_1',
    ...('retryAfter' in body ? { retryAfter: 7 } : {}),
  });
});

it.each([
  '',
  '<html>502</html>',
  'null',
  '"text"',
  '[]',
  '{"details":"all of it","message":7,"retryAfter":"soon"}',
  '{"details":[null]}',
])('rejects with a ParleyError if a proxy answers %s', async (body) => {
  const error = await outcomeOf(answer(503, body, { 'Retry-After': '9' }));
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The server answered 503.',
    retryAfter: 9,
  });
});

it('rejects the login page of a network with NETWORK_ERROR', async () => {
  expect(await outcomeOf(answer(200, '<html>Sign in to the hotel’s network</html>'))).toMatchObject({
    code: 'NETWORK_ERROR',
  });
});

it('rejects a truncated response with NETWORK_ERROR', async () => {
  const breaksOff: RequestListener = (_request, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"a":');
    setTimeout(() => response.destroy(), 20);
  };
  expect(await outcomeOf(breaksOff)).toMatchObject({ code: 'NETWORK_ERROR' });
});

it('rejects with NETWORK_ERROR if the server cannot be reached', async () => {
  const http = new HttpClient({
    baseUrl: 'http://127.0.0.1:1',
    credential: () => Promise.resolve(undefined),
  });
  await expect(http.request('GET', '/x')).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
});

describe('a failed request', () => {
  interface Seen {
    url: string | undefined;
    headers: IncomingHttpHeaders;
  }
  type Send = (http: HttpClient) => Promise<unknown>;
  const post: Send = (http) => http.request('POST', '/x', { a: 1 }, { idempotencyKey: 'key' });
  const get: Send = (http) => http.request('GET', '/x');

  /** Answers requests with the given listeners in turn, and all further ones with the last. null closes the connection. */
  async function exchange(send: Send, ...answers: (RequestListener | null)[]) {
    const seen: Seen[] = [];
    const made = createServer((request, response) => {
      const next = answers[Math.min(seen.length, answers.length - 1)];
      seen.push({ url: request.url, headers: request.headers });
      if (next) next(request, response);
      else request.socket.destroy();
    }).listen(0, '127.0.0.1');
    server = made;
    await new Promise((resolve) => made.once('listening', resolve));
    const { port } = made.address() as AddressInfo;
    let token = 'old';
    const http = new HttpClient({
      baseUrl: `http://127.0.0.1:${port}`,
      credential: () => Promise.resolve(token),
      renew: () => Promise.resolve((token = 'new')),
    });
    const outcome = await send(http).catch((error: unknown) => (error as ParleyError).code);
    return { outcome, seen };
  }
  const success = answer(201, '{"ok":true}');
  const failure = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
    answer(status, JSON.stringify(body), headers);

  it.each<[string, RequestListener | null]>([
    ['a lost connection', null],
    ['a 500', failure(500)],
    ['a 503', failure(503)],
    ['a 429 with a short wait', failure(429, { error: 'rate_limit_exceeded', retryAfter: 1 })],
    ['a 409 because the first attempt is in progress', failure(409, { error: 'idempotency_in_progress' })],
  ])('is repeated with the same Idempotency-Key after %s', async (_name, first) => {
    const { outcome, seen } = await exchange(post, first, success);
    expect(outcome).toEqual({ ok: true });
    expect(seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['key', 'key']);
  });

  it('is not repeated for a POST without an Idempotency-Key, which could run twice', async () => {
    for (const first of [null, failure(503)]) {
      const { outcome, seen } = await exchange((http) => http.request('POST', '/x', {}), first, success);
      expect([outcome, seen.length]).toEqual([first ? 'SERVICE_UNAVAILABLE' : 'NETWORK_ERROR', 1]);
      server?.close();
    }
  });

  it('is repeated after the time in Retry-After, unless that is too long', async () => {
    const startedAt = performance.now();
    expect((await exchange(get, failure(503, {}, { 'Retry-After': '1' }), success)).seen).toHaveLength(2);
    expect(performance.now() - startedAt).toBeGreaterThan(990);
    const { outcome, seen } = await exchange(get, failure(429, {}, { 'Retry-After': '60' }), success);
    expect([outcome, seen.length]).toEqual(['RATE_LIMIT_EXCEEDED', 1]);
  });

  it('is tried three times', async () => {
    const { outcome, seen } = await exchange(get, failure(502));
    expect([outcome, seen.length]).toEqual(['SERVICE_UNAVAILABLE', 3]);
  });

  it.each([400, 401, 402, 403, 404, 409, 422])(
    'is not repeated after a permanent error (%i)',
    async (status) => {
      expect((await exchange(get, failure(status), success)).seen).toHaveLength(1);
    },
  );

  it('is repeated once with a new token after the old one expired', async () => {
    const expired = failure(401, { error: 'token_expired' });
    const { outcome, seen } = await exchange(get, expired, success);
    expect(outcome).toEqual({ ok: true });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    expect((await exchange(get, expired)).seen).toHaveLength(2);
  });
});

it('leaves undefined fields out of a query, and writes Dates as ISO 8601', async () => {
  let url: string | undefined;
  const made = createServer((request, response) => {
    url = request.url;
    response.end('{}');
  }).listen(0, '127.0.0.1');
  server = made;
  await new Promise((resolve) => made.once('listening', resolve));
  const { port } = made.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}`;
  const http = new HttpClient({ baseUrl, credential: () => Promise.resolve(undefined) });
  const query = { limit: 5, cursor: undefined, from: new Date('2026-11-20T12:00:00Z'), with: '+1555&x' };
  await http.request('GET', '/x', undefined, { query });
  expect(url).toBe('/api/v1/x?limit=5&from=2026-11-20T12%3A00%3A00.000Z&with=%2B1555%26x');
});
