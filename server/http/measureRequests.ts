import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { continueTrace, inRequest, isTracing, type Describe } from '../../platform/tracing/tracing.ts';
import { requestMetrics } from '../../platform/metrics/metrics.ts';

declare global {
  // oxlint-disable-next-line typescript/no-namespace -- how Express's types are extended
  namespace Express {
    interface Request {
      /** The path of the API's route that serves this request, with the names of its parameters instead of their values. */
      routePath?: string;
    }
  }
}

/** Measures the time of each request until its answer was sent or its client was gone, as a metric and as the first span of a trace. */
export const measureRequests: RequestHandler = (request, response, next) => {
  const startedAt = performance.now();
  response.once('close', () => {
    const labels = { method: methodOf(request), route: routeOf(request), status: statusOf(response) };
    requestMetrics.http.observe(labels, (performance.now() - startedAt) / 1_000);
  });
  if (isTracing()) trace(request, response, next);
  else next();
};

/** A trace that the client has begun is continued. */
function trace(request: Request, response: Response, next: NextFunction): void {
  const { traceparent } = request.headers;
  const method = methodOf(request);
  const serve = (describe: Describe) =>
    new Promise<void>((resolve) => {
      response.once('close', () => {
        const [route, status] = [routeOf(request), statusOf(response)];
        const facts = { 'http.route': route, 'http.response.status_code': status };
        const failure = status >= 500 ? { 'error.type': String(status) } : {};
        describe({ ...facts, ...failure }, `${method} ${route}`);
        resolve();
      });
      next();
    });
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  void continueTrace(parent, () => inRequest(method, { 'http.request.method': method }, serve));
}

/** 499, as nginx has it, if the client was gone before the answer. */
const statusOf = ({ headersSent, statusCode }: Response) => (headersSent ? statusCode : 499);

/** Clients may send any method. */
const methodOf = ({ method }: Request) => (methods.has(method) ? method : 'other');
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Requests without a route, such as those for pages and files, are `other`. Paths of mounts match in any case, so they are in lower case. */
function routeOf({ routePath, route, baseUrl }: Request): string {
  if (routePath !== undefined) return routePath;
  const { path } = (route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? `${baseUrl.toLowerCase()}${path}` : 'other';
}
