import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ParleyError } from '../protocol/errors.ts';
import { HttpClient } from './HttpClient.ts';

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** What request() makes of an answer. */
async function outcomeOf(listener: RequestListener): Promise<unknown> {
  const made = createServer(listener).listen(0, '127.0.0.1');
  server = made;
  await new Promise((resolve) => made.once('listening', resolve));
  const { port } = made.address() as AddressInfo;
  const http = new HttpClient({ baseUrl: `http://127.0.0.1:${port}`, credential: () => undefined });
  return http.request('GET', '/x').catch((error: unknown) => error);
}

const answer =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body);

it('gives the answer, its moments as Dates', async () => {
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
    answer(status, JSON.stringify({ message: 'words', requestId: 'req_1', ...body })),
  );
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toMatchObject({
    code,
    message: 'words',
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
])('makes a ParleyError of a proxy’s %s', async (body) => {
  const error = await outcomeOf(answer(503, body, { 'Retry-After': '9' }));
  expect(error).toBeInstanceOf(ParleyError);
  expect(error).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The server answered 503.',
    retryAfter: 9,
  });
});

it('takes a page of the network in between for no answer', async () => {
  expect(await outcomeOf(answer(200, '<html>Sign in to the hotel’s network</html>'))).toMatchObject({
    code: 'NETWORK_ERROR',
  });
});

it('takes an answer that breaks off for none', async () => {
  const breaksOff: RequestListener = (_request, response) => {
    response.writeHead(200, { 'Content-Length': '100' });
    response.write('{"a":');
    setTimeout(() => response.destroy(), 20);
  };
  expect(await outcomeOf(breaksOff)).toMatchObject({ code: 'NETWORK_ERROR' });
});

it('says that a server is not there', async () => {
  const http = new HttpClient({ baseUrl: 'http://127.0.0.1:1', credential: () => undefined });
  await expect(http.request('GET', '/x')).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
});
