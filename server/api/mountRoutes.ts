import { Router, type Request, type RequestHandler, type Response } from 'express';
import type { Address } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { FormerKey } from '../money/apiKeys/KeyReader.ts';
import type { AuditLog } from '../money/audit/AuditLog.ts';
import { authenticate, authorise, isOfUnknown, type Authenticators } from './authenticate.ts';
import { allowLongBody } from '../http/bodyDeadline.ts';
import { notFound, toHttpError } from '../http/errors.ts';
import { subnetsOf } from '../../platform/limits/subnets.ts';
import { AccountFunding, type AccountFundingDeps } from '../money/AccountFunding.ts';
import { executeRoute, type ExecutedRoute, type ExecutorDeps } from '../money/executeRoute.ts';
import {
  actorOf,
  type AccountPrincipal,
  type PayerPrincipal,
  type Principal,
  type RequestOrigin,
} from '../http/Principal.ts';
import { RawAnswer, sendRaw } from '../http/RawAnswer.ts';
import type { RateLimits } from '../http/RateLimits.ts';
import { readBody } from '../http/readBody.ts';
import type { Route } from '../http/Route.ts';
import { servePaid } from './servePaid.ts';
import { contextOf } from '../http/validate.ts';
import type { PaidRequests } from '../money/x402/PaidRequests.ts';

export interface MountOptions extends Authenticators, AccountFundingDeps, ExecutorDeps {
  routes: Route[];
  limits: RateLimits;
  audit: AuditLog;
  /** Wallets of the operators. */
  operators: ReadonlySet<Address>;
  /** null if the server does not accept payments per request (x402). */
  paidRequests: PaidRequests | null;
}

export interface MountedRoutes {
  router: Router;
  /** The handlers of paths without parameters, by method and path (`GET /account`). */
  exact: Map<string, RequestHandler>;
}

/**
 * Mounts the routes. Every request passes these steps in this order: parse, authenticate, rate limit, scope, validate, idempotency,
 * charge, run. The rate limit counts an authenticated request by its key or account, and a request whose authentication failed by its
 * network. Requests to open routes without a credential are counted by network, before anything is read.
 */
export function mountRoutes(options: MountOptions): MountedRoutes {
  const router = Router();
  const { paidRequests } = options;
  const exact = new Map<string, RequestHandler>();
  const mount = (row: Route) => {
    const withAccount = serve(row, options);
    // Payments would not tell requests with different parameters apart.
    if (row.x402 && hasParameter(row))
      throw new Error(`The paid route ${row.path} has a parameter in its path.`);
    const paid = row.x402 && row.payerPrice && paidRequests ? serveForPay(row, options, paidRequests) : null;
    const handler: RequestHandler = (request, response, next) => {
      request.routePath = row.path;
      const hasCredential = request.headers.authorization !== undefined;
      return paid && !hasCredential ? paid(request, response) : withAccount(request, response, next);
    };
    router[row.method](row.path, handler);
    if (!hasParameter(row)) exact.set(`${row.method.toUpperCase()} ${row.path}`, handler);
  };
  // Paths without parameters are mounted first, including the refusal of methods they do not support. Otherwise `GET /sms/send` would be
  // taken for `GET /sms/:id`.
  for (const rows of [
    options.routes.filter((row) => !hasParameter(row)),
    options.routes.filter(hasParameter),
  ]) {
    rows.forEach(mount);
    for (const [path, methods] of methodsByPath(rows))
      router.all(path, refuseMethod([...methods, 'OPTIONS'].join(', '), options.limits));
  }
  router.use(async (request, response, next) => {
    await options.limits.consumeUnknown('auth', networksOf(request), response);
    // Express answers OPTIONS.
    if (request.method === 'OPTIONS') next();
    else notFound(request, response, next);
  });
  return { router, exact };
}

const hasParameter = ({ path }: Route) => path.includes(':');

/** The allowed methods of each path. */
function methodsByPath(routes: Route[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    const methods = found.get(path) ?? new Set();
    found.set(path, methods.add(method.toUpperCase()));
    if (method === 'get') methods.add('HEAD');
  }
  return found;
}

/** Answers OPTIONS, and refuses a method that an existing path does not support. */
function refuseMethod(allowed: string, limits: RateLimits): RequestHandler {
  return async (request, response) => {
    response.setHeader('Allow', allowed);
    if (request.method === 'OPTIONS') return void response.end();
    await limits.consumeUnknown('auth', networksOf(request), response);
    const message = `This path does not support ${request.method}. Use one of: ${allowed}.`;
    throw new ParleyError('NOT_FOUND', message, { reason: 'method_not_allowed' });
  };
}

const networksOf = (request: Request) => subnetsOf(request.ip ?? '');

function serve(row: Route, options: MountOptions): RequestHandler {
  const { limits } = options;
  return async (request, response) => {
    const isOpen = isOfUnknown(request, row);
    if (isOpen) await limits.consumeUnknown(row.limit, networksOf(request), response);
    const origin = originOf(request);
    let principal: AccountPrincipal | null;
    try {
      if (!row.stream) await readBody(request, response, row.raw);
      principal = await authenticate(request, origin, row.credential, options);
    } catch (error) {
      // A failure of this server says nothing about the sender, whose network would get 429 for a minute after an outage.
      const points = toHttpError(error, origin.requestId).status < 500 ? 1 : 0;
      if (!isOpen) await limits.consumeUnknown('auth', networksOf(request), response, points);
      recordFormerKey(row, error, origin, options.audit);
      throw error;
    }
    if (!principal) {
      await send(response, await run(row, null, request, origin, options));
      return;
    }
    // Outside of what the audit log records, because its rows would grow as fast as somebody can send requests.
    if (!isOpen) await limits.consume(row.limit, countedAs(principal), networksOf(request), response);
    let done: ExecutedRoute | null = null;
    let failure: unknown;
    try {
      if (row.stream) allowLongBody(request);
      authorise(principal, row, options.operators);
      done = await run(row, principal, request, origin, options);
      await send(response, done);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const status = done?.status ?? toHttpError(failure, origin.requestId).status;
      record(row, principal, origin, status, done?.spent ?? null, options.audit);
    }
  };
}

/** Serves requests that are paid for individually (x402), without an account. */
function serveForPay(row: Route, { limits, audit, db }: MountOptions, paidRequests: PaidRequests) {
  return async (request: Request, response: Response) => {
    const origin = originOf(request);
    const known: { payer?: PayerPrincipal } = {};
    const onKnown = (payer: PayerPrincipal) => (known.payer = payer);
    let done: ExecutedRoute | null = null;
    let failure: unknown;
    try {
      done = await servePaid(row, request, response, origin, { paidRequests, limits, executor: db, onKnown });
      await send(response, done);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const status = done?.status ?? toHttpError(failure, origin.requestId).status;
      if (known.payer) record(row, known.payer, origin, status, done?.spent ?? null, audit);
    }
  };
}

const countedAs = (principal: AccountPrincipal) =>
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
  principal: AccountPrincipal | null,
  request: Request,
  origin: RequestOrigin,
  options: MountOptions,
): Promise<ExecutedRoute> {
  const context = contextOf(row, request, origin, principal) as never;
  return executeRoute(row, context, await AccountFunding.of(row, context, options), options);
}

async function send(response: Response, { status, body, replayed }: ExecutedRoute): Promise<void> {
  if (body instanceof RawAnswer) return sendRaw(response, body);
  if (replayed) response.setHeader('Idempotent-Replayed', 'true');
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Records that a revoked or expired key was used, so that the key's owner sees it in the audit log. */
function recordFormerKey(row: Route, error: unknown, origin: RequestOrigin, audit: AuditLog): void {
  if (!(error instanceof ParleyError && error.cause instanceof FormerKey)) return;
  const { accountId, id, prefix } = error.cause;
  audit.requested({
    accountId,
    at: new Date(),
    actorType: 'api_key',
    actorId: id,
    actorPrefix: prefix,
    action: 'request',
    ...origin,
    status: toHttpError(error, origin.requestId).status,
    service: row.price?.service ?? serviceOf(row.path),
    units: null,
    credits: null,
  });
}

function record(
  row: Route,
  principal: Principal,
  origin: RequestOrigin,
  status: number,
  spent: ExecutedRoute['spent'],
  audit: AuditLog,
): void {
  audit.requested({
    at: new Date(),
    ...actorOf(principal),
    action: 'request',
    ...origin,
    status,
    service: (row.price ?? row.payerPrice)?.service ?? serviceOf(row.path),
    units: spent?.units ?? null,
    credits: spent?.credits ?? null,
  });
}

/** The service of a route: the first part of its path. */
const serviceOf = (path: string) => path.split('/', 2)[1] ?? '';
