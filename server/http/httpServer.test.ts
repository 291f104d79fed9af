import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer, listen } from './httpServer.ts';

const log = pino({ level: 'silent' });

async function serve(app: Express): Promise<number> {
  const server = createHttpServer(app, null, { bounds: { total: 10, perNetwork: 10 }, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** How long an idle connection stays open, as the server announces it. */
async function announced(trustProxy: number | string[]): Promise<string | null> {
  const app = express().set('trust proxy', trustProxy);
  app.get('/', (_request, response) => void response.end());
  const port = await serve(app);
  return (await fetch(`http://127.0.0.1:${port}/`)).headers.get('keep-alive');
}

it('keeps idle connections longer than a proxy in front of it does', async () => {
  expect(await announced(1)).toBe('timeout=125');
  expect(await announced(['10.0.0.0/8'])).toBe('timeout=125');
  expect(await announced(0)).toBe('timeout=5');
});

it('does not mix the answer to a request that it cannot read with that to the request before', async () => {
  const app = express();
  app.get('/', (_request, response) => void response.write('begun'));
  app.post('/', () => {});
  const client = connect(await serve(app), '127.0.0.1');
  let text = '';
  client.on('error', () => {});
  client.on('data', (bytes) => (text += bytes.toString()));
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(client, 'data');
  client.write('POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nnot a chunk\r\n');
  await once(client, 'close');
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
});

it('names HOST if this machine does not have that address', async () => {
  const listening = listen(createServer(), { HOST: '192.0.2.1', PORT: 3000 }, 'METRICS_PORT');
  await expect(listening).rejects.toThrow('192.0.2.1 is not an address of this machine: set HOST to one');
});
