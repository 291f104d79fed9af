import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

/** Somebody who sends a byte now and then holds a connection no longer than this; the body has Node's five minutes, for uploads. */
const limits = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 };
/** Requests that still run when the server stops have this long. */
const closingMs = 2_000;

export function createHttpServer(
  api: RequestListener,
  certificate: { key: string; cert: string } | null,
): Server {
  return certificate ? createTlsServer({ ...certificate, ...limits }, api) : createServer(limits, api);
}

export function listen(server: Server, { HOST, PORT }: { HOST: string; PORT: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      const words = `Port ${PORT} is in use: end what uses it, or set PORT to another.`;
      reject(inUse ? new Error(words, { cause: error }) : error);
    };
    server.once('error', refuse);
    server.listen(PORT, HOST, () => {
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
