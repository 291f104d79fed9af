import type { Request } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { KeyScope } from '../../sdk/protocol/http.ts';
import type { Principal, RequestOrigin } from './Principal.ts';
import type { LimitName } from './RateLimits.ts';

export interface RouteContext<Body, Query, Params> {
  body: Body;
  query: Query;
  params: Params;
  /** Who asks; null on routes that are open to everybody. */
  principal: Principal | null;
  origin: RequestOrigin;
  /** What was reserved for it, on a route that has a price. */
  charge: Charge | null;
  /** The row's status; a handler may set another good one (201 where it was done at once). */
  answer: { status: number };
  request: Request;
  log: Logger;
}

export interface Charge {
  /** Names the purchase: a reservation, or a one-off payment (which keeps its name when we failed and it runs again). */
  id: string;
  credits: number;
  /** What is left. */
  balance: number;
}

/** What a request costs: `credits` per unit, and how many units a body asks for (one, where it doesn't say). */
export interface Price<Body> {
  service: string;
  credits: number;
  unit: string;
  units?: (body: Body) => number;
  /** What a unit costs where that depends on the body; `credits` is then the least. */
  creditsFor?: (body: Body) => number;
}

/** What a body costs. */
export function costOf<Body>(price: Price<Body>, body: Body): { units: number; credits: number } {
  const units = price.units?.(body) ?? 1;
  return { units, credits: units * (price.creditsFor?.(body) ?? price.credits) };
}

interface RouteFacts {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1. */
  path: string;
  summary: string;
  /**
   * `none`: open to everybody. `optional`: looked at where there is one. `account`: a key (with the scope) or a session.
   * `dashboard`: a dashboard session alone.
   */
  credential: 'none' | 'optional' | 'account' | 'dashboard';
  /** What a key has to be allowed; null where any key will do. */
  scope: KeyScope | null;
  /** Whether it may be paid per request, without an account. */
  x402: boolean;
  /** Which of the rate limits it counts against. */
  limit: LimitName;
  /** Honours Idempotency-Key; whatever has a price does so anyway. */
  idempotent: boolean;
  status: number;
}

/** One row of the route table: all that is known of a route, as data. Made with route(). */
export interface Route extends RouteFacts {
  body?: z.ZodType;
  query?: z.ZodType;
  params?: z.ZodType;
  price: Price<never> | null;
  response: z.ZodType;
  /** null: what serves it is not part of this installation, and it answers 503. */
  handle: ((context: RouteContext<never, never, never>) => unknown) | null;
}

type Optional = 'credential' | 'scope' | 'x402' | 'limit' | 'idempotent' | 'status';

interface TypedRow<
  Body extends z.ZodType,
  Query extends z.ZodType,
  Params extends z.ZodType,
  Response extends z.ZodType,
>
  extends Omit<RouteFacts, Optional>, Partial<Pick<RouteFacts, Optional>> {
  body?: Body;
  query?: Query;
  params?: Params;
  price?: Price<z.output<Body>>;
  response: Response;
  handle:
    | ((
        context: RouteContext<z.output<Body>, z.output<Query>, z.output<Params>>,
      ) => z.input<Response> | Promise<z.input<Response>>)
    | null;
}

/** Ties the handler's types to the schemas, and fills in what most rows have in common. */
export function route<
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>({ price, ...row }: TypedRow<Body, Query, Params, Response>): Route {
  return {
    credential: 'account',
    scope: null,
    x402: false,
    limit: row.method === 'get' ? 'reads' : 'writes',
    idempotent: price !== undefined,
    status: 200,
    price: price ?? null,
    ...row,
  };
}
