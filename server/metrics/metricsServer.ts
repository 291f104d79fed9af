import { createServer } from 'node:http';
import express, { Router } from 'express';
import { collectDefaultMetrics } from 'prom-client';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { registry } from '../../platform/metrics/metrics.ts';
import { hasBearerSecret } from '../http/bearerSecret.ts';
import { answerError, notFound } from '../http/errors.ts';
import { closeHttpServer, listen } from '../http/httpServer.ts';

/**
 * Serves the metrics of this node at `/metrics`, in the text format of Prometheus.
 * @param token the bearer token that is required (METRICS_TOKEN); undefined for none
 */
export function metricsRouter(token: string | undefined): Router {
  startDefaultMetrics();
  const router = Router();
  router.get('/metrics', async (request, response) => {
    if (token !== undefined && !hasBearerSecret(request, token))
      throw new ParleyError(
        'AUTHENTICATION_REQUIRED',
        'Send the METRICS_TOKEN of this server as Authorization: Bearer <token>.',
      );
    response.set({ 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
    response.end(await registry.metrics());
  });
  return router;
}

/** Serves the metrics at a port of their own (METRICS_PORT). */
export async function listenForMetrics(
  host: string,
  port: number,
  token: string | undefined,
): Promise<{ close(): Promise<void> }> {
  const app = express();
  app.disable('x-powered-by');
  app.use(metricsRouter(token), notFound, answerError);
  const server = createServer(app);
  await listen(server, { HOST: host, PORT: port }, 'METRICS_PORT');
  return { close: () => (server.closeAllConnections(), closeHttpServer(server)) };
}

let isStarted = false;

/** Adds the usual metrics of Node.js processes: CPU, memory, event loop, garbage collection. They cost something, so only servers with metrics have them. */
function startDefaultMetrics(): void {
  if (isStarted) return;
  isStarted = true;
  collectDefaultMetrics({ register: registry });
}
