import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io as connect } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { closeIo, createIo } from './createIo.ts';
import type { Handlers } from './Handlers.ts';
import { RequestDispatcher } from './RequestDispatcher.ts';

it('keeps no channel that a request joins after its client has disconnected', async () => {
  const httpServer = createServer().listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, log: silent });
  onTestFinished(() => closeIo(io));
  let [begin, joined] = [() => {}, () => {}];
  const [begun, done] = [
    new Promise<void>((resolve) => (begin = resolve)),
    new Promise<void>((r) => (joined = r)),
  ];
  const handlers = {
    'calls.getBlocked': async (
      _context: unknown,
      _payload: unknown,
      socket: { join(channel: string): unknown },
    ) => {
      begin();
      await until(() => io.of('/').sockets.size === 0, 'the client is gone');
      await socket.join('channel');
      joined();
      throw new Error('the request fails later');
    },
  } as unknown as Handlers;
  let isGone = false;
  const onGone = () => (isGone = true);
  const options = { handlers, rateLimit: 100, networkRateLimit: 100, onGone, log: silent };
  const dispatcher = new RequestDispatcher(options);
  io.on('connection', (socket) => {
    const session = {
      wallet: '0x1',
      sessionId: 's',
      network: 'mainnet',
      expiresAt: new Date(Date.now() + 60_000),
    };
    Object.assign(socket.data, { session, subnets: [], peers: new Map(), scores: new Map() });
    dispatcher.open(socket);
  });
  const client = connect(`http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`, {
    transports: ['websocket'],
    forceNew: true,
  });
  client.emit('calls.getBlocked', {});
  await begun;
  client.disconnect();
  await done;
  const { rooms } = io.of('/').adapter;
  await until(() => !rooms.has('channel'), 'the channel is empty');
  expect([rooms.size, isGone]).toEqual([0, false]);
});
