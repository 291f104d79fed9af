import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { newId } from '../../sdk/protocol/ids.ts';
import type { CreateLimiter } from '../../signaling/limiters.ts';
import type { Config } from '../config.ts';
import type { Identity } from '../identity/SessionService.ts';
import type { Origins } from '../origins.ts';
import { answerError, notFound } from './errors.ts';
import { mountRoutes } from './mountRoutes.ts';
import { allowOrigins } from './allowOrigins.ts';
import { health } from './health.ts';
import { rateLimit } from './rateLimit.ts';
import type { Route } from './Route.ts';
import { servePages } from './servePages.ts';

interface ApiDeps {
  config: Pick<Config, 'TRUST_PROXY' | 'RATE_LIMIT_AUTH' | 'isProduction' | 'ROLES'>;
  origins: Origins;
  routes: Route[];
  createLimiter: CreateLimiter;
  verifyToken: (token: string) => Promise<Identity>;
  /** What has to answer for the server to be ready. */
  checks: Record<string, () => Promise<void>>;
  log: Logger;
}

/** The whole HTTP side: health, /api/v1, the SDK's browser build and the console. */
export function createApi({
  config,
  origins,
  routes,
  createLimiter,
  verifyToken,
  checks,
  log,
}: ApiDeps): Express {
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
  if (config.ROLES.includes('api')) {
    app.use(
      '/api/v1',
      allowOrigins(origins),
      keepNothing,
      mountRoutes({
        routes,
        limits: { auth: rateLimit('auth', config.RATE_LIMIT_AUTH, createLimiter) },
        verifyToken,
      }),
    );
    app.use('/api', notFound);
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
