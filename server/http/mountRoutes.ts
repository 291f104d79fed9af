import { Router, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { validationError } from '../../signaling/errors.ts';
import type { AuditLog } from '../audit/AuditLog.ts';
import { authenticate, authorise, type Authenticators } from './authenticate.ts';
import { notFound, toHttpError } from './errors.ts';
import { networkOf } from './networkOf.ts';
import { perform, type Performed, type Performing } from './perform.ts';
import { actorOf, type Principal, type RequestOrigin } from './Principal.ts';
import type { RateLimits } from './RateLimits.ts';
import { readBody } from './readBody.ts';
import type { Route } from './Route.ts';

export interface MountOptions extends Authenticators, Performing {
  routes: Route[];
  limits: RateLimits;
  audit: AuditLog;
}

/**
 * The order of checks on every route: parse, authenticate, rate limit, scope, validate, idempotency, charge, run. Who proves to be
 * somebody is counted as that; everybody else by address: before anything is read on the routes that are open to all, and when
 * no valid credential was found on the others.
 */
export function mountRoutes(options: MountOptions): Router {
  const router = Router();
  for (const row of options.routes) router[row.method](row.path, serve(row, options));
  router.use(async (request, response, next) => {
    await options.limits.consume('auth', addressOf(request), response);
    // Express answers these by itself.
    if (request.method === 'OPTIONS') next();
    else notFound(request, response, next);
  });
  return router;
}

const addressOf = (request: Request) => networkOf(request.ip ?? '');

function serve(row: Route, options: MountOptions): RequestHandler {
  const { limits } = options;
  const isOpen = row.credential === 'none' || row.credential === 'optional';
  return async (request, response) => {
    if (isOpen) await limits.consume(row.limit, addressOf(request), response);
    let principal: Principal | null;
    try {
      await readBody(request, response);
      principal = await authenticate(request, row.credential, options);
    } catch (error) {
      if (!isOpen) await limits.consume('auth', addressOf(request), response);
      throw error;
    }
    const origin = originOf(request);
    if (!principal) {
      send(response, await run(row, null, request, origin, options));
      return;
    }
    let done: Performed | null = null;
    let failure: unknown;
    try {
      if (!isOpen) await limits.consume(row.limit, countedAs(principal), response);
      authorise(principal, row);
      done = await run(row, principal, request, origin, options);
      send(response, done);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const status = done?.status ?? toHttpError(failure, origin.requestId).status;
      record(row, principal, origin, status, done?.spent ?? null, options.audit);
    }
  };
}

const countedAs = (principal: Principal) =>
  principal.kind === 'key' ? principal.key.id : principal.accountId;

function originOf(request: Request): RequestOrigin {
  const { originalUrl: url } = request;
  const end = url.indexOf('?');
  return {
    requestId: request.id,
    method: request.method,
    path: end === -1 ? url : url.slice(0, end),
    ip: request.ip ?? '',
    userAgent: request.headers['user-agent']?.slice(0, 300) ?? null,
  };
}

async function run(
  row: Route,
  principal: Principal | null,
  request: Request,
  origin: RequestOrigin,
  options: MountOptions,
): Promise<Performed> {
  const body = validate(row.body ?? (request.body === undefined ? undefined : nothing), request.body);
  const query = validate(row.query ?? (hasQuery(request) ? nothing : undefined), request.query);
  const params = validate(row.params, request.params);
  if (!row.handle) {
    throw new ParleyError('SERVICE_UNAVAILABLE', 'This server has no such service configured.', {
      reason: 'service_unavailable',
    });
  }
  const context = {
    ...{ body, query, params, principal, origin, request, charge: null, answer: { status: row.status } },
    // Made when somebody has something to log.
    get log() {
      return request.log;
    },
  };
  return perform(row, row.handle, context as never, options);
}

/** Requests are strict: where no field is known, each is one too many. */
const nothing = z.strictObject({});
const hasQuery = (request: Request) => request.originalUrl.includes('?');

function validate(schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) return undefined;
  const parsed = z.safeParse(schema, given);
  if (!parsed.success) throw validationError(parsed.error);
  return parsed.data;
}

function send(response: Response, { status, body, replayed }: Performed): void {
  if (replayed) response.setHeader('Idempotent-Replayed', 'true');
  response.status(status).json(body);
}

function record(
  row: Route,
  principal: Principal,
  origin: RequestOrigin,
  status: number,
  spent: Performed['spent'],
  audit: AuditLog,
): void {
  audit.requested({
    accountId: principal.accountId,
    at: new Date(),
    ...actorOf(principal),
    action: 'request',
    ...origin,
    status,
    service: row.price?.service ?? serviceOf(row.path),
    units: spent?.units ?? null,
    credits: spent?.credits ?? null,
  });
}

/** The family a route belongs to: the first part of its path. */
const serviceOf = (path: string) => path.split('/', 2)[1] ?? '';
