import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server as TcpServer } from 'node:net';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { expressClasses } from '../../platform/internals/express/expressClasses.ts';
import { limitBodies } from './bodyDeadline.ts';
import { answerUnreadable } from './unreadable.ts';
import { boundConnections, type ConnectionBounds } from './boundConnections.ts';

/** Time limits for clients that send headers and bodies slowly. The body of an upload may take Node's default of five minutes. */
const limits = { headersTimeout: 10_000, connectionsCheckingInterval: 2_000 };
const bodyLimitMs = 20_000;
/**
 * How long an idle connection of a proxy stays open. It is longer than proxies keep them by default (60 to 120 s): one that sends a request
 * just while this server closes the connection answers 502.
 */
const proxyIdleMs = 125_000;
/** The maximum time for running requests to finish when the server stops. */
const closingMs = 2_000;
/**
 * The maximum number of connections waiting to be accepted. Large enough for thousands of clients that reconnect at the same time: a client
 * that finds the queue full retries after 1 s, then after 3 s.
 */
const backlog = 4_096;

export function createHttpServer(
  api: Express,
  certificate: { key: string; cert: string } | null,
  { bounds, log }: { bounds: ConnectionBounds; log: Logger },
): Server {
  const hasProxy = api.get('trust proxy') !== 0;
  const idle = hasProxy ? { keepAliveTimeout: proxyIdleMs } : {};
  const options = { ...limits, ...idle, ...expressClasses(api) };
  const server = certificate ? createTlsServer({ ...certificate, ...options }) : createServer(options);
  const isTrusted = api.get('trust proxy fn') as (address: string, hop: number) => boolean;
  boundConnections(server, { bounds, isTrustedProxy: (address) => isTrusted(address, 0), log });
  limitBodies(server, bodyLimitMs);
  answerUnreadable(server);
  return server.on('request', api);
}

/** @param setting the setting of the port, for the error message */
export function listen(
  server: TcpServer,
  { HOST, PORT }: { HOST: string; PORT: number },
  setting = 'PORT',
): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: NodeJS.ErrnoException) => {
      const problems: Record<string, string> = {
        EADDRNOTAVAIL: `${HOST} is not an address of this machine: set HOST to one that is.`,
        EADDRINUSE: `Port ${PORT} is in use. Stop the program that uses it, or set ${setting} to another port.`,
        EACCES: `This user may not use port ${PORT}. Set ${setting} to a port from 1024, or give the server the right (in systemd: AmbientCapabilities=CAP_NET_BIND_SERVICE).`,
      };
      const problem = problems[cause.code ?? ''];
      reject(problem === undefined ? cause : new Error(problem, { cause }));
    };
    server.once('error', refuse);
    server.listen({ port: PORT, host: HOST, backlog }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/** Ends all open connections after a short time, so that a request that never ends does not keep the server from closing. */
export function closeConnectionsSoon(server: Server): void {
  setTimeout(() => server.closeAllConnections(), closingMs).unref();
}

/** Resolves even if the server never listened, or Socket.IO has already closed it. */
export function closeHttpServer(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
