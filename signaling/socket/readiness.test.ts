import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { io as connect } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { silent } from '../../test/harness/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { authenticate } from './authenticate.ts';
import { createIo } from './createIo.ts';
import { AdmissionQueue } from './AdmissionQueue.ts';

it('admits nobody until its node is ready, and then all waiting clients', async () => {
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
  const clients = Array.from({ length: 60 }, () =>
    connect(url, { transports: ['websocket'], forceNew: true, auth: { token: 't', protocolVersion } }),
  );
  onTestFinished(() => clients.forEach((client) => client.disconnect()));
  await until(() => knocking === clients.length, 'all knock');
  expect([asked, io.engine.clientsCount, io.of('/').sockets.size]).toEqual([0, 0, 0]);
  beReady();
  await until(() => clients.every(({ connected }) => connected), 'all are in');
  expect(io.of('/').sockets.size).toBe(clients.length);
});

it('admits a few clients per turn, so that other work runs in between', async () => {
  let beReady = () => {};
  const ready = new Promise<void>((resolve) => (beReady = resolve));
  const admission = new AdmissionQueue({ ready, waitLimitMs: 60_000 });
  const told: boolean[] = [];
  for (let count = 0; count < 100; count++)
    admission.enter({} as IncomingMessage, (isIn) => void told.push(isIn));
  beReady();
  const perTurn: number[] = [];
  while (told.length < 100) {
    const before = told.length;
    await nextTurn();
    perTurn.push(told.length - before);
  }
  expect(Math.max(...perTurn)).toBe(20);
  expect(told).not.toContain(false);
});

it('refuses waiting clients at once when the node stops', async () => {
  let knocking = 0;
  const httpServer = createServer().on('upgrade', () => knocking++);
  const ready = new Promise<void>(() => {});
  const io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, ready, log: silent });
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const url = `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`;
  const client = connect(url, { transports: ['websocket'], forceNew: true, timeout: 600_000 });
  onTestFinished(() => void client.disconnect());
  await until(() => knocking === 1, 'it knocks');
  const refused = once(client as never, 'connect_error');
  await io.close();
  expect(((await refused) as [Error])[0].message).toBe('websocket error');
});

it('sends the upgrade response and the first packet in one write', async () => {
  const httpServer = createServer();
  const io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, log: silent });
  onTestFinished(() => io.close());
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const wire = connectTcp((httpServer.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void wire.destroy());
  wire.write(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const [first] = (await once(wire, 'data')) as [Buffer];
  expect(first.toString()).toContain('101 Switching Protocols');
  expect(first.toString()).toContain('"sid"');
});
