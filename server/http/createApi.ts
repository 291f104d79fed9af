import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { newId } from '../../sdk/protocol/ids.ts';
import type { Config } from '../config.ts';
import type { Origins } from '../origins.ts';
import { answerError, notFound } from './errors.ts';
import { docsPage } from './docsPage.ts';
import { mountRoutes, type MountOptions } from './mountRoutes.ts';
import { allowOrigins } from './allowOrigins.ts';
import { health } from './health.ts';
import { servePages } from './servePages.ts';

interface ApiDeps {
  config: Pick<Config, 'TRUST_PROXY' | 'isProduction'>;
  origins: Origins;
  /** The route table, and what its rows are served with. */
  api: MountOptions;
  /** What has to answer for the server to be ready. */
  checks: Record<string, () => Promise<void>>;
  log: Logger;
}

/** The whole HTTP side: health, /api/v1, the SDK's browser build and the console. */
export function createApi({ config, origins, api, checks, log }: ApiDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  // Answers are nobody's to keep; what may be kept, the pages, has tags of its own.
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(
    pinoHttp({
      logger: log,
      genReqId: (_request, response) => {
        const requestId = newId('req');
        response.setHeader('X-Request-Id', requestId);
        return requestId;
      },
      customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'debug'),
      serializers: {
        // Without the query: it may carry a token, or somebody's number.
        req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
          id,
          method,
          path: url.split('?')[0],
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      },
    }),
  );
  app.use(secureHeaders(config.isProduction));
  app.use(health(checks, log));
  app.use('/api/v1', allowOrigins(origins), keepNothing, mountRoutes(api));
  app.use('/api', notFound);
  app.use('/docs', docsPage());
  app.use(servePages());
  app.use(notFound);
  app.use(answerError);
  return app;
}

/** What a route says about somebody is not for caches. */
const keepNothing: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

function secureHeaders(isProduction: boolean) {
  return helmet({
    contentSecurityPolicy: {
      directives: {
        // The WebSocket of the own origin is 'self' too.
        connectSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        mediaSrc: ["'self'", 'blob:', 'mediastream:'],
        // The page's styles are set by its scripts too.
        styleSrc: ["'self'", "'unsafe-inline'"],
        // A development page on plain http must stay there.
        upgradeInsecureRequests: isProduction ? [] : null,
      },
    },
    strictTransportSecurity: isProduction,
    // /sdk/parley.js is for pages of other origins too.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
}
