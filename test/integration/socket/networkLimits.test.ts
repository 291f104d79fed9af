import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { newId } from '../../../sdk/protocol/ids.ts';
import { protocolVersion } from '../../../sdk/protocol/version.ts';
import { ServerProcess } from '../../harness/nodes/ServerProcess.ts';
import { until } from '../../harness/until.ts';
import * as support from '../support.ts';
import { ask, bearer, code, newWallet, send, signIn } from '../support.ts';

/* Anyone can create any number of wallets for free, so all wallets of one network share limits: a small multiple of one wallet's limits. */

const factor = 3;
const connectionsPerNetwork = 20;
let server: ServerProcess;

beforeAll(async () => {
  server = await ServerProcess.start({
    TRUST_PROXY: '1',
    RATE_LIMIT_NETWORK_FACTOR: String(factor),
    RATE_LIMIT_CALLS: '2',
    RATE_LIMIT_ROOMS: '2',
    RATE_LIMIT_STREAMS: '2',
    RATE_LIMIT_MESSAGES: '2',
    RATE_LIMIT_WRITES: '2',
    RATE_LIMIT_UPLOADS: '2',
    MAX_CONNECTIONS_PER_NETWORK: String(connectionsPerNetwork),
  });
});
afterAll(async () => {
  support.closeSockets();
  await server?.dispose();
});

/** Connects a new wallet from an address, as a proxy would forward it. */
async function from(address: string): Promise<Socket> {
  const { token } = await signIn(server.url);
  const extraHeaders = { 'X-Forwarded-For': address };
  const device = support.socket(server.url, { token, protocolVersion }, { extraHeaders });
  await support.next(device, 'session:welcome');
  return device;
}

const requests: [name: string, payload: () => object][] = [
  ['calls.start', () => ({ to: newWallet().address, type: 'audio' })],
  ['conference.create', () => ({ name: 'x', maxParticipants: 4 })],
  ['streaming.create', () => ({ title: 'x' })],
  ['messages.send', () => ({ id: newId('msg'), to: newWallet().address, type: 'text', content: 'x' })],
];

it.each(requests)('limits %s per network', async (name, payload) => {
  const address = '192.0.2.10';
  for (let wallet = 0; wallet < factor; wallet++) {
    const device = await from(address);
    for (let time = 0; time < 2; time++) expect(await code(device, name, payload())).toBe('ok');
    expect(await code(device, name, payload())).toBe('RATE_LIMIT_EXCEEDED');
  }
  const refused = await send(await from(address), name, payload());
  if (refused.ok) throw new Error('accepted');
  expect(refused.error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
  expect(refused.error.message).toMatch(/from your network: try again in \d+ s/);
  expect(refused.error.retryAfter).toBeGreaterThanOrEqual(1);
  // Other networks are not affected.
  expect(await code(await from('192.0.2.11'), name, payload())).toBe('ok');
});

it('does not delay other wallets while one wallet sends many requests', async () => {
  const [greedy, other] = [await from('192.0.2.30'), await from('192.0.2.31')];
  const asked = 180;
  let answered = 0;
  const first = new Promise<void>((resolve) => {
    for (let count = 0; count < asked; count++)
      greedy.emit('messages.getConversations', {}, () => {
        answered++;
        resolve();
      });
  });
  await first;
  expect(await code(other, 'messages.getConversations', {})).toBe('ok');
  expect(answered).toBeLessThan(asked * 0.75);
});

it('counts a long message as several messages and a reaction as one', async () => {
  const message = (content: string) => ({ id: newId('msg'), to: newWallet().address, type: 'text', content });
  const long = await from('192.0.2.20');
  expect(await code(long, 'messages.send', message('\u{1F600}'.repeat(300)))).toBe('ok');
  expect(await code(long, 'messages.send', message('x'))).toBe('RATE_LIMIT_EXCEEDED');
  // The longest possible message can be sent even with a low limit.
  expect(await code(await from('192.0.2.21'), 'messages.send', message('x'.repeat(10_000)))).toBe('ok');
  const device = await from('192.0.2.22');
  const sent = message('x');
  const reaction = { messageId: sent.id, emoji: '\u{1F44D}' };
  expect(await code(device, 'messages.send', sent)).toBe('ok');
  expect(await code(device, 'messages.addReaction', reaction)).toBe('ok');
  expect(await code(device, 'messages.removeReaction', reaction)).toBe('RATE_LIMIT_EXCEEDED');
});

it('limits all /64 networks of one /56 together', async () => {
  const [name, payload] = requests[1] as (typeof requests)[number];
  const outcomes: string[] = [];
  for (let network = 0; network < 13; network++) {
    const device = await from(`2001:db8:5:${network.toString(16)}::1`);
    outcomes.push(await code(device, name, payload()), await code(device, name, payload()));
  }
  // Four times the limit of one /64: 4 * 3 * 2.
  expect(outcomes).toEqual([
    ...Array<string>(24).fill('ok'),
    ...Array<string>(2).fill('RATE_LIMIT_EXCEEDED'),
  ]);
});

it.each([
  ['writes', { name: 'x' }, '/api/v1/api-keys'],
  ['uploads', undefined, '/api/v1/media/uploads'],
])('limits %s over HTTP per network', async (_limit, body, path) => {
  const statusFrom = async (address: string, token: string) => {
    const headers = { ...bearer(token), 'X-Forwarded-For': address };
    return (await ask(server.url, 'POST', path, { headers, ...(body ? { body } : {}) })).status;
  };
  const address = '198.51.100.1';
  for (let wallet = 0; wallet < factor; wallet++) {
    const { token } = await signIn(server.url);
    for (let time = 0; time < 2; time++) expect(await statusFrom(address, token)).not.toBe(429);
    expect(await statusFrom(address, token)).toBe(429);
  }
  const { token } = await signIn(server.url);
  expect(await statusFrom(address, token)).toBe(429);
  expect(await statusFrom('198.51.100.2', token)).not.toBe(429);
});

it('limits the open WebSockets of one network, even without a sign-in', async () => {
  const open = (address: string) =>
    new Promise<WebSocket | number>((resolve) => {
      const headers = { 'X-Forwarded-For': address };
      const raw = new WebSocket(`${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
        headers,
      });
      raw.on('message', () => resolve(raw));
      raw.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      raw.on('error', () => {});
    });
  const opened: WebSocket[] = [];
  for (let number = 0; number < connectionsPerNetwork; number++) {
    const raw = await open('203.0.113.1');
    if (typeof raw === 'number') throw new Error(`refused with ${raw}`);
    opened.push(raw);
  }
  // Engine.IO answers 400 to an upgrade that it is told to refuse.
  for (let time = 0; time < 3; time++) expect(await open('203.0.113.1')).toBe(400);
  expect(typeof (await open('203.0.113.2'))).toBe('object');
  // Once a minute.
  expect(await server.waitForLog('too many from this network')).toMatchObject([{ from: '203.0.113.1' }]);
  // Closing one connection admits another.
  opened.pop()?.close();
  await until(async () => typeof (await open('203.0.113.1')) === 'object', 'a connection is admitted again');
});

/** Opens a TCP connection, sends some bytes, and records the answer and whether the server closed it. */
async function raw(url: string, bytes: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const state = { socket, text: '', isClosed: false };
  socket.on('data', (chunk) => (state.text += chunk.toString()));
  socket.on('close', () => (state.isClosed = true));
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(bytes);
  return state;
}

describe('a server without a proxy', () => {
  let direct: ServerProcess;
  const maxConnections = 30;

  beforeAll(async () => {
    direct = await ServerProcess.start({ MAX_CONNECTIONS_PER_NETWORK: String(maxConnections) });
  });
  afterAll(() => direct?.dispose());

  it('closes connections over the limit of one network and ignores X-Forwarded-For', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.200\r\n';
    const made = await Promise.all(
      Array.from({ length: maxConnections + 10 }, () => raw(direct.url, request)),
    );
    const closed = () => made.filter(({ isClosed }) => isClosed).length;
    await until(() => closed() >= 10, 'the connections over the limit are closed');
    expect(closed()).toBeLessThanOrEqual(12);
    const refusals = await direct.waitForLog('connections refused');
    expect(refusals).toMatchObject([{ reason: 'MAX_CONNECTIONS_PER_NETWORK' }]);
    for (const { socket } of made) socket.destroy();
    await until(() => direct.isReady(), 'a connection is admitted again');
  });

  it('ends requests whose body does not arrive, but not uploads', async () => {
    const { token } = await signIn(direct.url);
    const head = (path: string, more: string) =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n${more}\r\nAAAA`;
    const startedAt = performance.now();
    const json = 'Content-Type: application/json\r\n';
    const halves = await Promise.all([
      raw(direct.url, head('/api/v1/auth/verify', json)),
      raw(direct.url, head('/api/v1/sms/send', json)),
      // The next two are answered before their body has arrived.
      raw(direct.url, head('/api/v1/media', 'Content-Type: image/png\r\n')),
      raw(direct.url, head('/api/v1/nowhere', json)),
    ]);
    const upload = await raw(
      direct.url,
      head('/api/v1/media', `Content-Type: image/png\r\nAuthorization: Bearer ${token}\r\n`),
    );
    // A WebSocket that sends no Socket.IO handshake and does not answer a close frame either.
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    const silent = await raw(
      direct.url,
      `GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\n${upgrade}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await until(() => halves.every(({ isClosed }) => isClosed), 'the connections are closed', 60_000);
    expect(silent.text).toContain('101 Switching Protocols');
    expect(silent.isClosed).toBe(true);
    expect(performance.now() - startedAt).toBeGreaterThan(15_000);
    expect(halves[0]?.text).toMatch(/^HTTP\/1.1 408 [^]*{"error":"request_timeout","message":/);
    expect(upload.isClosed).toBe(false);
    upload.socket.destroy();
  });

  it('says in JSON what is wrong with a request that it cannot read', async () => {
    const answerTo = async (request: string) => {
      const sent = await raw(direct.url, request);
      await until(() => sent.isClosed, 'the connection is closed');
      const [head = '', body = ''] = sent.text.split('\r\n\r\n');
      return [Number(head.split(' ')[1]), JSON.parse(body)] as const;
    };
    const get = 'GET /api/v1/status HTTP/1.1\r\n';
    const unlike = [
      [`${get}Host: localhost\r\nCookie: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
      [`${get}Host: localhost\r\nBad Header: 1\r\n\r\n`, 400, 'invalid_request'],
      ['SSH-2.0-OpenSSH_9.2\r\n\r\n', 400, 'invalid_request'],
    ] as const;
    for (const [request, status, error] of unlike)
      expect(await answerTo(request)).toEqual([
        status,
        { error, message: expect.any(String) as string, requestId: expect.stringMatching(/^req_/) as string },
      ]);
  });
});
