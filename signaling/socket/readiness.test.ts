import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { io as connect } from 'socket.io-client';
import { expect, it, onTestFinished } from 'vitest';
import { protocolVersion } from '../../sdk/protocol/version.ts';
import { silent } from '../../test/harness/nodes/embeddedPostgres/support.ts';
import { until } from '../../test/harness/until.ts';
import { authenticate } from './authenticate.ts';
import { createIo } from './createIo.ts';
import { AdmissionQueue } from './AdmissionQueue.ts';

it('admits no client until the node is ready, and then all waiting clients', async () => {
  let setReady = () => {};
  const ready = new Promise<void>((resolve) => (setReady = resolve));
  let upgrades = 0;
  const httpServer = createServer().on('upgrade', () => upgrades++);
  const io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, ready, log: silent });
  onTestFinished(() => io.close());
  let verified = 0;
  authenticate(
    io,
    () => {
      verified++;
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
  await until(() => upgrades === clients.length, 'all clients wait');
  expect([verified, io.engine.clientsCount, io.of('/').sockets.size]).toEqual([0, 0, 0]);
  setReady();
  await until(() => clients.every(({ connected }) => connected), 'all clients are connected');
  expect(io.of('/').sockets.size).toBe(clients.length);
});

it('admits a few clients per turn, so that other work runs in between', async () => {
  let setReady = () => {};
  const ready = new Promise<void>((resolve) => (setReady = resolve));
  const admission = new AdmissionQueue({ ready, waitLimitMs: 60_000 });
  const results: boolean[] = [];
  for (let count = 0; count < 100; count++)
    admission.enter({} as IncomingMessage, (isAdmitted) => void results.push(isAdmitted));
  setReady();
  const perTurn: number[] = [];
  while (results.length < 100) {
    const before = results.length;
    await nextTurn();
    perTurn.push(results.length - before);
  }
  expect(Math.max(...perTurn)).toBe(50);
  expect(results).not.toContain(false);
});

it('rejects waiting clients immediately when the node stops', async () => {
  let upgrades = 0;
  const httpServer = createServer().on('upgrade', () => upgrades++);
  const ready = new Promise<void>(() => {});
  const io = createIo({ httpServer, adapter: null, isAllowedOrigin: () => true, ready, log: silent });
  httpServer.listen(0, '127.0.0.1');
  await once(httpServer, 'listening');
  const url = `http://127.0.0.1:${(httpServer.address() as AddressInfo).port}`;
  const client = connect(url, { transports: ['websocket'], forceNew: true, timeout: 600_000 });
  onTestFinished(() => void client.disconnect());
  await until(() => upgrades === 1, 'the client waits');
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
