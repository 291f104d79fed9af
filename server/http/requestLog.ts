import type { Express, Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { newId } from '../../sdk/protocol/ids.ts';

declare global {
  // eslint-disable-next-line @typescript-eslint/no-namespace -- how Express's types are extended
  namespace Express {
    interface Request {
      /** `req_…`: in the answer, in every error, in the log and in the audit log. */
      id: string;
      /** Names the request on every line; made when it is first asked for. */
      log: Logger;
    }
  }
}

const own = Symbol('log');

const untrustedProxy =
  'X-Forwarded-For arrived and TRUST_PROXY is 0: behind a proxy all clients count as one address and share its rate limits. ' +
  'Set TRUST_PROXY to the number of proxies in front of this server; without a proxy, somebody sends made-up headers.';
/**
 * Gives each request its id, and a logger for those who have something to say. How requests end is logged at `debug`; what fails,
 * where errors are answered.
 */
export function requestLog(app: Express, log: Logger): RequestHandler {
  Object.defineProperty(app.request, 'log', {
    get(this: Request & { [own]?: Logger }) {
      return (this[own] ??= log.child({ req: describe(this) }));
    },
  });
  const tellsAll = log.isLevelEnabled('debug');
  let isWarned = false;
  const trustsNobody = app.get('trust proxy') === 0;
  return (request, response, next) => {
    request.id = newId('req');
    if (trustsNobody && !isWarned && request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true;
      log.warn({ from: request.socket.remoteAddress }, untrustedProxy);
    }
    response.setHeader('X-Request-Id', request.id);
    if (tellsAll) {
      const startedAt = performance.now();
      response.on('finish', () => {
        const responseTime = Math.round(performance.now() - startedAt);
        const res = { statusCode: response.statusCode };
        request.log.debug({ res, responseTime }, 'request completed');
      });
    }
    next();
  };
}

/** Without the query: it may carry a token, or somebody's number. */
const describe = ({ id, method, originalUrl }: Request) => ({ id, method, path: originalUrl.split('?')[0] });
