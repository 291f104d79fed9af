import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Origins } from '../origins.ts';
import { answerError, notFound } from './errors.ts';
import { docsPage } from './docsPage.ts';
import { mountRoutes, type MountOptions } from './mountRoutes.ts';
import { allowOrigins } from './allowOrigins.ts';
import { health } from './health.ts';
import { requestLog } from './requestLog.ts';
import { secureHeaders } from './secureHeaders.ts';
import { servePages } from './servePages.ts';

interface ApiDeps {
  config: Pick<
    Config,
    'TRUST_PROXY' | 'isProduction' | 'ROLES' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_ORIGINS'
  >;
  origins: Origins;
  /** The route table, and what its rows are served with. */
  api: MountOptions;
  /** What has to answer for the server to be ready. */
  checks: Record<string, () => Promise<void>>;
  /** Who calls us over HTTP without our keys, by name: carriers. They prove themselves in their own way. */
  callbacks?: Record<string, RequestHandler>;
  /** What is served beside the API, by where it is: pictures and the like. */
  files?: Record<string, RequestHandler>;
  log: Logger;
}

/** The whole HTTP side: health, /api/v1, the SDK's browser build and the console. */
export function createApi({
  config,
  origins,
  api,
  checks,
  callbacks = {},
  files = {},
  log,
}: ApiDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // Answers are nobody's to keep; what may be kept, the pages, has tags of its own.
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(requestLog(app, log));
  app.use(secureHeaders(config));
  app.use(health(checks, log));
  if (config.ROLES.includes('api')) {
    app.use('/api/v1', allowOrigins(origins), keepNothing, mountRoutes(api));
    app.use('/api', notFound);
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

/** What a route says about somebody is not for caches. */
const keepNothing: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};
