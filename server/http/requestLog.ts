import type { Express, Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { newId } from '../../sdk/protocol/ids.ts';

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- how Express's types are extended
  namespace Express {
    interface Request {
      /** `req_…`: the request id, as it appears in the answer, in errors, in the log and in the audit log. */
      id: string;
      /** A logger that adds the request to every line. It is created on first use. */
      log: Logger;
    }
  }
}

/** The header of the doctor, which makes up an X-Forwarded-For as a client could. */
export const doctorHeader = 'x-parley-doctor';

const own = Symbol('log');

const untrustedProxy =
  'X-Forwarded-For received although TRUST_PROXY is 0: behind a proxy, all clients count as one address and share its rate limits. ' +
  'Set TRUST_PROXY to the number of proxies in front of this server. Without a proxy, the header is forged.';

/**
 * Gives each request an id and a logger. Completed requests are logged at level `debug`. Failed requests are logged by answerError.
 */
export function requestLog(app: Express, log: Logger): RequestHandler {
  Object.defineProperty(app.request, 'log', {
    get(this: Request & { [own]?: Logger }) {
      return (this[own] ??= log.child({ req: describe(this) }));
    },
  });
  const logsRequests = log.isLevelEnabled('debug');
  let isWarned = false;
  const hasNoProxy = app.get('trust proxy') === 0;
  return (request, response, next) => {
    request.id = newId('req');
    const { headers } = request;
    const isForwarded = headers['x-forwarded-for'] !== undefined && headers[doctorHeader] === undefined;
    if (hasNoProxy && !isWarned && isForwarded) {
      isWarned = true;
      log.warn({ from: request.socket.remoteAddress }, untrustedProxy);
    }
    response.setHeader('X-Request-Id', request.id);
    if (logsRequests) {
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

/** Leaves out the query, which may contain a token or a phone number. */
const describe = ({ id, method, originalUrl }: Request) => ({ id, method, path: originalUrl.split('?')[0] });
