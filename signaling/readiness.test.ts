import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io as connect } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { protocolVersion } from '../sdk/protocol/version.ts';
import { silent } from '../server/embeddedPostgres/testSupport.ts';
import { until } from '../test/harness/until.ts';
import { authenticate } from './authenticate.ts';
import { createIo } from './createIo.ts';

it('admits nobody until its node is ready, and then everybody who waits', async () => {
  let beReady = () => {};
  const ready = new Promise<void>((resolve) => (beReady = resolve));
  let knocking = 0;
  const httpServer = createServer().on('upgrade', () => knocking++);
  const io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, ready, log: silent });
  onTestFinished(() => io.close());
  let asked = 0;
  authenticate(
    io,
    () => {
      asked++;
      const wallet = '0x0000000000000000000000000000000000000001';
      return Promise.resolve({
        wallet,
        sessionId: 's',
        network: 'mainnet',
        expiresAt: new Date(Date.now() + 60_000),
      });
    },
    silent,
  );
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const url = `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`;
  const clients = Array.from({ length: 20 }, () =>
    connect(url, { transports: ['websocket'], forceNew: true, auth: { token: 't', protocolVersion } }),
  );
  onTestFinished(() => clients.forEach((client) => client.disconnect()));
  await until(() => knocking === clients.length, 'all knock');
  expect([asked, io.engine.clientsCount, io.of('/').sockets.size]).toEqual([0, 0, 0]);
  beReady();
  await until(() => clients.every(({ connected }) => connected), 'all are in');
  expect(io.of('/').sockets.size).toBe(clients.length);
});
