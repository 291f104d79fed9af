import type { Request } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Identity } from '../identity/SessionService.ts';

export interface RouteContext<Body> {
  body: Body;
  /** Who asks; null on routes that are open to everybody. */
  identity: Identity | null;
  request: Request;
  log: Logger;
}

/** One row of the route table: all that is known of a route, as data. Made with route(). */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1. */
  path: string;
  summary: string;
  /** `none`: open to everybody. `session`: a token of ours. `optional`: looked at where there is one. */
  credential: 'none' | 'session' | 'optional';
  /** Which of the rate limits it counts against. */
  limit: 'auth';
  body?: z.ZodType;
  response: z.ZodType;
  status: number;
  handle: (context: RouteContext<never>) => unknown;
}

/** Ties the handler's types to the schemas. */
export function route<Body extends z.ZodType = z.ZodUndefined, Response extends z.ZodType = z.ZodType>(
  row: Omit<Route, 'body' | 'response' | 'handle' | 'status'> & {
    body?: Body;
    response: Response;
    status?: number;
    handle: (context: RouteContext<z.output<Body>>) => z.input<Response> | Promise<z.input<Response>>;
  },
): Route {
  return { status: 200, ...row };
}
