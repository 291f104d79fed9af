import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { expressClasses } from '../../platform/internals/express/expressClasses.ts';
import { limitBodies } from './bodyDeadline.ts';
import { boundConnections, type ConnectionBounds } from './boundConnections.ts';

/** Limits for clients that send headers and bodies slowly. Uploads have Node's five minutes for the body. */
const limits = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 };
const bodyLimitMs = 20_000;
/** Time for running requests to finish when the server stops. */
const closingMs = 2_000;
/** Large enough for thousands of clients that reconnect at the same time: a client that finds the queue full retries after 1 s, then 3 s. */
const backlog = 4_096;

export function createHttpServer(
  api: Express,
  certificate: { key: string; cert: string } | null,
  { bounds, log }: { bounds: ConnectionBounds; log: Logger },
): Server {
  const options = { ...limits, ...expressClasses(api) };
  const server = certificate ? createTlsServer({ ...certificate, ...options }) : createServer(options);
  const isTrusted = api.get('trust proxy fn') as (address: string, hop: number) => boolean;
  boundConnections(server, { bounds, isTrustedProxy: (address) => isTrusted(address, 0), log });
  limitBodies(server, bodyLimitMs);
  return server.on('request', api);
}

export function listen(server: Server, { HOST, PORT }: { HOST: string; PORT: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      const message = `Port ${PORT} is in use. Stop the program that uses it, or set PORT to another port.`;
      reject(inUse ? new Error(message, { cause: error }) : error);
    };
    server.once('error', refuse);
    server.listen({ port: PORT, host: HOST, backlog }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** Ends all open connections shortly, so that a request that never ends does not keep the server from closing. */
export function closeConnectionsSoon(server: Server): void {
  setTimeout(() => server.closeAllConnections(), closingMs).unref();
}

/** Also resolves if the server was never opened, or Socket.IO has closed it already. */
export function closeHttpServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
