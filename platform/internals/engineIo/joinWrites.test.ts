import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket as NetSocket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Server, type Socket } from 'socket.io';
import { io as connect, type Socket as ClientSocket } from 'socket.io-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { joinWrites } from './joinWrites.ts';

let http: HttpServer;
let io: Server;
let client: ClientSocket;
let socket: Socket;
/** The number of writes to the network. */
let writes = 0;

beforeEach(async () => {
  http = createServer();
  http.on('connection', countWrites);
  io = new Server(http, { transports: ['websocket'] });
  joinWrites(io);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  client = connect(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, { transports: ['websocket'] });
  [socket] = (await once(io, 'connection')) as [Socket];
  if (!client.connected) await new Promise<void>((resolve) => client.once('connect', resolve));
});
afterEach(async () => {
  client.close();
  await io.close();
});

function countWrites(connection: NetSocket): void {
  for (const name of ['_write', '_writev'] as const) {
    const write = connection[name]?.bind(connection) as (...args: unknown[]) => void;
    Object.assign(connection, {
      [name](...args: unknown[]) {
        writes++;
        write(...args);
      },
    });
  }
}

const emit = (name: string, payload: unknown) => socket.emit(name, payload);

function receive(count: number): Promise<number[]> {
  const numbers: number[] = [];
  return new Promise((resolve) =>
    client.on('number', (given: number) => {
      numbers.push(given);
      if (numbers.length === count) resolve(numbers);
    }),
  );
}

it('sends the events of one turn in one write, in order', async () => {
  const all = receive(50);
  await nextTurn();
  writes = 0;
  for (let number = 0; number < 50; number++) emit('number', number);
  expect(writes).toBe(0);
  expect(await all).toEqual(Array.from({ length: 50 }, (_, number) => number));
  expect(writes).toBe(1);
});

it('delivers all volatile events of one turn while the network is not congested', async () => {
  const all = receive(51);
  emit('number', 0);
  for (let number = 1; number <= 50; number++) socket.volatile.emit('number', number);
  expect(await all).toEqual(Array.from({ length: 51 }, (_, number) => number));
});

it('drops volatile events while the network is congested', async () => {
  // More than the buffers of the network hold.
  emit('long', 'x'.repeat(32 * 1024 * 1024));
  await nextTurn();
  const all = receive(1);
  socket.volatile.emit('number', 1);
  emit('number', 2);
  expect(await all).toEqual([2]);
});

it('keeps the order across turns while the network is slow', async () => {
  // In total, this is as much unsent data as the server allows for one connection (UnsentGuard).
  const count = 75;
  const all = receive(count);
  const long = 'x'.repeat(100_000);
  for (let number = 0; number < count; number++) {
    emit('long', long);
    emit('number', number);
    if (number % 3 === 0) await nextTurn();
  }
  expect(await all).toEqual(Array.from({ length: count }, (_, number) => number));
});

it('delivers events that were sent in the same turn as a close, just before it', async () => {
  const all = receive(2);
  const closed = new Promise((resolve) => client.once('disconnect', resolve));
  emit('number', 1);
  emit('number', 2);
  socket.disconnect(true);
  expect(await all).toEqual([1, 2]);
  await closed;
});
