import { once, type EventEmitter } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Server } from 'socket.io';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { every } from '../../every.ts';
import { pingTogether } from './pingTogether.ts';

let http: HttpServer;
let io: Server;
let stop: () => void;
const clients: WebSocket[] = [];
/** The turns of the event loop in which each connection was pinged. */
let pinged: Map<object, number[]>;

async function start(intervalMs: number): Promise<void> {
  http = createServer();
  io = new Server(http, { transports: ['websocket'], pingInterval: intervalMs, pingTimeout: intervalMs });
  stop = pingTogether(io, intervalMs);
  pinged = new Map();
  io.engine.on('connection', (connection: EventEmitter) => {
    pinged.set(connection, []);
    connection.on('packetCreate', ({ type }: { type: string }) => {
      if (type === 'ping') pinged.get(connection)?.push(turn);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
}

let turn = 0;
let isCounting: boolean;
beforeEach(() => {
  isCounting = true;
  const count = () => void (turn++, isCounting && setImmediate(count));
  count();
});
afterEach(async () => {
  isCounting = false;
  stop();
  for (const client of clients.splice(0)) client.terminate();
  await io.close();
});

async function connect({ answers = true } = {}): Promise<WebSocket> {
  const { port } = http.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`);
  clients.push(client);
  client.on('message', (data: Buffer) => {
    if (answers && data.toString() === '2') client.send('3');
  });
  await once(client, 'open');
  client.send('40');
  return client;
}

it('pings connections that were opened at different times together', async () => {
  await start(1_000);
  await connect();
  await delay(300);
  await connect();
  const all = () => [...pinged.values()];
  await expect.poll(() => Math.min(...all().map(({ length }) => length))).toBeGreaterThanOrEqual(3);
  const [first, second] = all().map((turns) => turns.slice(-3));
  expect(second).toEqual(first);
});

it('catches up at once after the process stood still', async () => {
  await start(4_000);
  await connect();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_100);
  let seconds = 0;
  const stopCounting = every(1_000, () => seconds++);
  try {
    await expect.poll(() => [...pinged.values()][0]?.length).toBe(1);
  } finally {
    stopCounting();
  }
  expect(seconds).toBeLessThan(3);
});

it('leaves connections open that answer, and closes those that do not', async () => {
  const intervalMs = 2_000;
  await start(intervalMs);
  const [answering, silent] = [await connect(), await connect({ answers: false })];
  const connectedAt = performance.now();
  await once(silent, 'close');
  const openMs = performance.now() - connectedAt;
  expect(openMs).toBeGreaterThan(intervalMs);
  expect([...pinged.values()].at(-1)).toHaveLength(1);
  expect([...pinged.values()][0]?.length).toBeGreaterThanOrEqual(1);
  expect(answering.readyState).toBe(WebSocket.OPEN);
  expect(io.engine.clientsCount).toBe(1);
});
