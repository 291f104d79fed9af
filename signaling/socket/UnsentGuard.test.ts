import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../../test/harness/until.ts';
import type { ParleyServer, ParleySocket } from './RequestContext.ts';
import { createIo } from './createIo.ts';
import type { UnsentBounds } from './UnsentGuard.ts';

const maxBytes = 8 * 1024 * 1024;
const stalledMs = 1_000;
/** More than the operating system buffers for a client that does not read. */
const beyondNetwork = 24 * 1024 * 1024;
const long = 'x'.repeat(36 * 1024);

let http: HttpServer;
let io: ParleyServer;
let log = '';
const clients: WebSocket[] = [];

beforeEach(() => open());
afterEach(() => close());

async function open(more: Partial<UnsentBounds> = {}): Promise<void> {
  log = '';
  const lines = new Writable({
    write: (chunk: Buffer, _encoding, done) => ((log += chunk.toString()), done()),
  });
  http = createServer();
  io = createIo({
    httpServer: http,
    adapter: null,
    isAllowedOrigin: () => true,
    log: pino(lines),
    unsent: { maxBytes, stalledMs, closingMs: 500, ...more },
  });
  io.use((socket, next) => {
    socket.data = { session: { wallet: '0xbob' } } as never;
    next();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
}

async function close(): Promise<void> {
  for (const client of clients.splice(0)) client.terminate();
  await io.close();
}

/** A bare WebSocket client that answers pings even while it does not read. */
async function rawClient(): Promise<WebSocket> {
  const { port } = http.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`);
  clients.push(client);
  await once(client, 'open');
  const pongs = setInterval(() => client.readyState === WebSocket.OPEN && client.send('3'), 200);
  client.on('error', () => {});
  client.once('close', () => clearInterval(pongs));
  return client;
}

async function connected(): Promise<{ client: WebSocket; socket: ParleySocket; reason: Promise<string> }> {
  const client = await rawClient();
  client.send('40{}');
  const [socket] = (await once(io, 'connection')) as [ParleySocket];
  const reason = new Promise<string>((resolve) => socket.once('disconnect', resolve));
  return { client, socket, reason };
}

const emit = (socket: ParleySocket) => (socket.emit as (name: string, text: string) => boolean)('text', long);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('closes a client that does not read once too much data is unsent', async () => {
  const { client, socket, reason } = await connected();
  client.pause();
  let written = 0;
  while (socket.connected && written < beyondNetwork) {
    emit(socket);
    written += long.length;
    if (written % (10 * long.length) === 0) await nextTurn();
  }
  expect(socket.connected).toBe(false);
  expect(await reason).toMatch(/transport (close|error)/);
  expect(JSON.parse(log)).toMatchObject({ wallet: '0xbob', reason: 'too much unsent data' });
});

it('closes a client with little unsent data when it reads none of it for too long', async () => {
  const { client, socket, reason } = await connected();
  client.pause();
  const { conn } = socket as unknown as { conn: { writeBuffer: unknown[] } };
  while (conn.writeBuffer.length < 5 && socket.connected) {
    emit(socket);
    await nextTurn();
  }
  expect(await reason).toMatch(/transport (close|error)/);
  expect(JSON.parse(log)).toMatchObject({ wallet: '0xbob', reason: 'no progress in sending' });
});

it('limits the unsent data of all clients and closes the one with the most', async () => {
  const megabyte = 1024 * 1024;
  await close();
  await open({ maxTotalBytes: 12 * megabyte, stalledMs: 60_000 });
  const [most, less, least] = [await connected(), await connected(), await connected()];
  for (const { client } of [most, less, least]) client.pause();
  const unsentOf = ({ conn }: ParleySocket) => {
    const { request, writeBuffer } = conn as unknown as {
      request: { socket: Writable };
      writeBuffer: { data?: string }[];
    };
    const buffered = writeBuffer.reduce((sum, { data = '' }) => sum + data.length, 0);
    return request.socket.writableLength + buffered;
  };
  const fill = async (socket: ParleySocket, bytes: number) => {
    while (unsentOf(socket) < bytes && socket.connected) {
      emit(socket);
      await nextTurn();
    }
  };
  await fill(least.socket, megabyte);
  await fill(less.socket, 5 * megabyte);
  await fill(most.socket, 7 * megabyte);
  expect(await most.reason).toMatch(/transport (close|error)/);
  expect(JSON.parse(log)).toMatchObject({ reason: 'too much unsent data in all' });
  expect([less.socket.connected, least.socket.connected]).toEqual([true, true]);
});

it('keeps a client that reads slowly, even when one write takes longer than the limit', async () => {
  const { client, socket } = await connected();
  let received = 0;
  client.on('message', (data: Buffer) => (received += data.length));
  const bytes = 7 * 1024 * 1024;
  for (let sent = 0; sent < bytes; sent += long.length) emit(socket);
  // The client pauses again and again, but never for as long as the limit.
  const startedAt = performance.now();
  while (performance.now() - startedAt < 2 * stalledMs) {
    client.pause();
    await new Promise((resolve) => setTimeout(resolve, stalledMs / 5));
    client.resume();
    await nextTurn();
  }
  await until(() => received >= bytes, 'all data has arrived');
  expect(socket.connected).toBe(true);
  expect(log).toBe('');
});

it('keeps a client without unsent data', async () => {
  const { socket } = await connected();
  await new Promise((resolve) => setTimeout(resolve, 2 * stalledMs));
  expect(socket.connected).toBe(true);
});

it('ends a connection whose client ignores the closing handshake', async () => {
  const { client, socket } = await connected();
  client.pause();
  const { socket: network } = socket.conn.request as unknown as { socket: Writable };
  socket.disconnect(true);
  await until(() => network.destroyed, 'the connection is gone');
});
