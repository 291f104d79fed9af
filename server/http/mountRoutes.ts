import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { z } from 'zod';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import { validationError } from '../../signaling/errors.ts';
import type { Identity } from '../identity/SessionService.ts';
import type { Route } from './Route.ts';

interface MountOptions {
  routes: Route[];
  limits: Record<Route['limit'], RequestHandler>;
  verifyToken: (token: string) => Promise<Identity>;
}

const bodyLimit = '100kb';

/**
 * The order of checks on every route: rate limit, parse, authenticate, validate, run. What counts per address is counted first,
 * so that a flood of nonsense costs no parsing, and every answer carries the limit's headers.
 */
export function mountRoutes({ routes, limits, verifyToken }: MountOptions): Router {
  const router = Router();
  const parse = [requireJson, express.json({ limit: bodyLimit, inflate: false })];
  for (const row of routes) {
    router[row.method](row.path, limits[row.limit], parse, async (request: Request, response: Response) => {
      const identity = await identify(request, row.credential, verifyToken);
      const body = parseBody(row, request.body);
      const answer = await row.handle({ body: body as never, identity, request, log: request.log });
      response.status(row.status).json(answer);
    });
  }
  return router;
}

const requireJson: RequestHandler = (request, _response, next) => {
  const hasBody =
    Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined;
  if (hasBody && !request.is('application/json')) {
    throw new ParleyError('VALIDATION_ERROR', 'Send the body as application/json.', {
      reason: 'unsupported_media_type',
    });
  }
  next();
};

function parseBody(row: Route, body: unknown): unknown {
  if (!row.body) return undefined;
  const parsed = z.safeParse(row.body, body);
  if (!parsed.success) throw validationError(parsed.error);
  return parsed.data;
}

async function identify(
  request: Request,
  credential: Route['credential'],
  verifyToken: MountOptions['verifyToken'],
): Promise<Identity | null> {
  if (credential === 'none') return null;
  const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token) return verifyToken(token);
  if (credential === 'optional') return null;
  throw new ParleyError('AUTHENTICATION_REQUIRED', 'Send Authorization: Bearer and a credential.', {
    reason: 'missing_credentials',
  });
}
