import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { refuseForeignHosts, type RefuseHost } from '../config/hosts.ts';
import type { Origins } from '../config/origins.ts';
import { answerError, notFound } from '../http/errors.ts';
import { docsPage } from './docsPage.ts';
import { mountRoutes, type MountedRoutes, type MountOptions } from './mountRoutes.ts';
import { metricsRouter } from '../metrics/metricsServer.ts';
import { loadTestRoute } from '../operator/loadTestRoute.ts';
import { apiHeaders } from '../http/apiHeaders.ts';
import { health } from './health.ts';
import { measureRequests } from '../http/measureRequests.ts';
import { readableAddress } from '../http/readableAddress.ts';
import { requestLog } from '../http/requestLog.ts';
import { secureHeaders } from '../http/secureHeaders.ts';
import { securityTxt } from '../http/securityTxt.ts';
import { servePages } from './servePages.ts';

interface ApiDeps {
  config: Config;
  origins: Origins;
  refuseHost: RefuseHost;
  /** The route table and its dependencies. */
  api: MountOptions;
  /** Checks that must pass for the server to be ready. */
  checks: Record<string, () => Promise<void>>;
  /** Handlers of requests from carriers, by the name of the carrier. Carriers have no API key and authenticate in their own way. */
  callbacks?: Record<string, RequestHandler>;
  /** Handlers of files that are served outside the API, by path. */
  files?: Record<string, RequestHandler>;
  /** Answers `npm run doctor`. */
  doctor?: RequestHandler;
  /** The routes of WHIP, WHEP and HLS; not set on nodes without signalling. */
  streams?: RequestHandler;
  log: Logger;
}

/** The HTTP application: health, /api/v1, the SDK's browser build and the console. */
export function createApi({
  config,
  origins,
  refuseHost,
  api,
  checks,
  callbacks = {},
  files = {},
  doctor,
  streams,
  log,
}: ApiDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // API answers are not cached. Pages may be cached, and their handlers set ETags themselves.
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(requestLog(app, log));
  app.use(measureRequests);
  app.use(refuseForeignHosts(refuseHost));
  if (config.ROLES.includes('api')) {
    const headers = apiHeaders(origins, config.isProduction);
    const { router, exact } = mountRoutes(api);
    app.use(serveExactly(exact, headers));
    app.use(prefix, headers, router);
    app.use('/api', headers, notFound);
  }
  app.use(readableAddress);
  app.use(secureHeaders(config));
  app.use(health(checks, log));
  if (config.METRICS_TOKEN !== undefined && config.METRICS_PORT === undefined)
    app.use(metricsRouter(config.METRICS_TOKEN));
  if (config.LOAD_TEST_TOKEN !== undefined) app.use(loadTestRoute(config.LOAD_TEST_TOKEN));
  if (doctor) app.use(doctor);
  app.get('/.well-known/security.txt', securityTxt(config.SECURITY_CONTACT));
  if (streams) app.use(streams);
  if (config.ROLES.includes('api')) {
    for (const [name, handler] of Object.entries(callbacks)) app.use(`/callbacks/${name}`, handler);
    app.use('/callbacks', notFound);
    for (const [path, handler] of Object.entries(files)) app.use(path, handler);
    app.use('/docs', docsPage());
    app.use(servePages());
  }
  app.use(notFound);
  app.use(answerError);
  return app;
}

const prefix = '/api/v1';

/** Finds routes without parameters by one look-up in a map, because most requests are for these. The router serves the others. */
function serveExactly(exact: MountedRoutes['exact'], headers: RequestHandler): RequestHandler {
  const handlers = new Map([...exact].map(([name, handler]) => [name.replace(' ', ` ${prefix}`), handler]));
  return (request, response, next) => {
    const { method, url } = request;
    const end = url.indexOf('?');
    const handler = handlers.get(`${method} ${end === -1 ? url : url.slice(0, end)}`);
    if (!handler) {
      next();
      return;
    }
    headers(request, response, () => {});
    return handler(request, response, next);
  };
}
