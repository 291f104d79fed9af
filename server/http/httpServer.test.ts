import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createHttpServer } from './httpServer.ts';

const log = pino({ level: 'silent' });

/** How long an idle connection stays open, as the server announces it. */
async function announced(trustProxy: number | string[]): Promise<string | null> {
  const app = express().set('trust proxy', trustProxy);
  app.get('/', (_request, response) => void response.end());
  const server = createHttpServer(app, null, { bounds: { total: 10, perNetwork: 10 }, log });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    return (await fetch(`http://127.0.0.1:${port}/`)).headers.get('keep-alive');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('keeps idle connections longer than a proxy in front of it does', async () => {
  expect(await announced(1)).toBe('timeout=125');
  expect(await announced(['10.0.0.0/8'])).toBe('timeout=125');
  expect(await announced(0)).toBe('timeout=5');
});
