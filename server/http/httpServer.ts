import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { limitBodies } from './bodyDeadline.ts';
import { boundConnections, type ConnectionBounds } from './boundConnections.ts';

/** A client that sends a byte now and then holds a connection no longer than this. Uploads have Node's five minutes for the body. */
const limits = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 };
const bodyLimitMs = 20_000;
/** Requests that still run when the server stops have this long. */
const closingMs = 2_000;
/** When thousands come back at once, those that find no place in the line try again only after a second, then after three. */
const backlog = 4_096;

export function createHttpServer(
  api: Express,
  certificate: { key: string; cert: string } | null,
  { bounds, log }: { bounds: ConnectionBounds; log: Logger },
): Server {
  const options = { ...limits, ...bornAs(api) };
  const server = certificate ? createTlsServer({ ...certificate, ...options }) : createServer(options);
  const isTrusted = api.get('trust proxy fn') as (address: string, hop: number) => boolean;
  boundConnections(server, { bounds, isTrustedProxy: (address) => isTrusted(address, 0), log });
  limitBodies(server, bodyLimitMs);
  return server.on('request', api);
}

/**
 * Requests and answers are Express's from the start. It would give each of them other prototypes as it comes, and V8 forget what
 * it had learnt of them: a bare route with one read took 137 µs of processor time so, and takes 76.
 */
function bornAs(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as typeof app.request;
  app.response = ExpressResponse.prototype as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

export function listen(server: Server, { HOST, PORT }: { HOST: string; PORT: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      const words = `Port ${PORT} is in use: end what uses it, or set PORT to another.`;
      reject(inUse ? new Error(words, { cause: error }) : error);
    };
    server.once('error', refuse);
    server.listen({ port: PORT, host: HOST, backlog }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** From now on nobody keeps the server from closing for long: a request that never ends is cut off. */
export function hurry(server: Server): void {
  setTimeout(() => server.closeAllConnections(), closingMs).unref();
}

/** Nothing happens when it was never opened, or Socket.IO has closed it already. */
export function closeHttpServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
