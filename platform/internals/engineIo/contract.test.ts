import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { Socket as NetSocket, type AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { io as connect, type Socket as ClientSocket } from 'socket.io-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectionOf, onConnection, type EngineConnection } from './connection.ts';

let http: HttpServer;
let io: Server;
let client: ClientSocket;
let socket: Socket;
let announced: EngineConnection;

beforeEach(async () => {
  http = createServer();
  io = new Server(http, { transports: ['websocket'] });
  onConnection(io, (connection) => (announced = connection));
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

it('announces the same connection that its Socket.IO socket has', () => {
  expect(connectionOf(socket)).toBe(announced);
  expect(announced.readyState).toBe('open');
});

it('keeps the TCP socket that the WebSocket took over', () => {
  const { socket: tcp } = announced.request;
  expect(tcp).toBeInstanceOf(NetSocket);
  expect(tcp.bytesRead).toBeGreaterThan(0);
  expect(tcp.bytesWritten).toBeGreaterThan(0);
  expect(tcp._handle?.writeQueueSize).toBe(0);
});

it('emits packetCreate with the data, then flush, then drain', async () => {
  const events: string[] = [];
  announced.on('packetCreate', ({ data }) => events.push(`packetCreate ${String(data)}`));
  announced.on('flush', () => events.push('flush'));
  announced.on('drain', () => events.push('drain'));
  const arrived = new Promise((resolve) => client.once('number', resolve));
  socket.emit('number', 1);
  await arrived;
  expect(events).toEqual(['packetCreate 2["number",1]', 'flush', 'drain']);
});

it('holds packets while the transport is not writable and sends them when it is ready', async () => {
  const { transport } = announced;
  const received: unknown[] = [];
  client.on('number', (number) => received.push(number));
  expect(transport.writable).toBe(true);
  transport.writable = false;
  const before = announced.request.socket.bytesWritten;
  socket.emit('number', 1);
  socket.emit('number', 2);
  expect(announced.request.socket.bytesWritten).toBe(before);
  transport.writable = true;
  transport.emit('ready');
  await expect.poll(() => received).toEqual([1, 2]);
});

it('has a WebSocket that sends pings and reports pongs', async () => {
  const { socket: webSocket } = announced.transport;
  const answered = new Promise<void>((resolve) => webSocket.once('pong', resolve));
  webSocket.ping();
  await answered;
});
