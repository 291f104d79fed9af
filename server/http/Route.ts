import type { Request } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { KeyScope } from '../../sdk/protocol/http.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RawAnswer } from './RawAnswer.ts';
import type { Principal, RequestOrigin } from './Principal.ts';
import type { LimitName } from './RateLimits.ts';

/**
 * Stores the answer under the request's Idempotency-Key (if it has one), in the transaction that does the work: who asks again after
 * the process died has the answer, and nothing is made twice. For rows that make something and cost nothing.
 * @throws ParleyError idempotency_in_progress where another request has the key by now: the transaction is to be undone
 */
export type KeepAnswer = <Answer>(tx: Executor, answer: Answer) => Promise<Answer>;

export interface RouteContext<Body, Query, Params> {
  body: Body;
  query: Query;
  params: Params;
  /** Who asks; null on routes that are open to everybody, and while `check` and `rate` run for a request paid by x402. */
  principal: Principal | null;
  origin: RequestOrigin;
  /** What was reserved for it, on a route that has a price. */
  charge: Charge | null;
  keepAnswer: KeepAnswer;
  /** The row's status; a handler may set another good one (201 where it was done at once). */
  answer: { status: number };
  request: Request;
  log: Logger;
}

export interface Charge {
  /** Names the purchase: a reservation, or a one-off payment (which keeps its name when we failed and it runs again). */
  id: string;
  credits: number;
  /**
   * What holds them; null where a one-off payer has paid. A handler whose work is a row captures it in that row's transaction:
   * then there is never one without the other. What no handler has captured is captured once it has answered.
   */
  reservationId: string | null;
  /** What is left; null for a one-off payer. */
  balance: number | null;
}

/** What a request costs: `credits` per unit, and how many units a body asks for (one, where it doesn't say). */
export interface Price<Body> {
  service: string;
  /** Where `rate` says it per request: the least. */
  credits: number;
  unit: string;
  /** Credits per unit, where they depend on what is asked for: a text's destination, a number's type. */
  rate?: (body: Body, principal: Principal | null) => number | Promise<number>;
  units?: (body: Body) => number;
}

type PaidContext<Body, Query, Params> = RouteContext<Body, Query, Params> & { charge: Charge };

interface RouteFacts {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1. */
  path: string;
  summary: string;
  /**
   * `none`: open to everybody. `optional`: looked at where there is one. `account`: a key (with the scope) or a session.
   * `session`: a session of either kind. `dashboard`: a dashboard session alone. `operator`: one of a wallet in OPERATOR_WALLETS.
   */
  credential: 'none' | 'optional' | 'account' | 'session' | 'dashboard' | 'operator';
  /** What a key has to be allowed; null where any key will do. */
  scope: KeyScope | null;
  /** Whether it may be paid per request, without an account. */
  x402: boolean;
  /** Which of the rate limits it counts against. */
  limit: LimitName;
  /** Honours Idempotency-Key; whatever has a price does so anyway. */
  idempotent: boolean;
  status: number;
  /** The body is handed over as it came, in a Buffer: its bytes are signed. */
  raw: boolean;
  /** The body is not read before: the handler takes it from the request as it comes. Without Idempotency-Key. */
  stream: boolean;
}

/** One row of the route table: all that is known of a route, as data. Made with route(). */
export interface Route extends RouteFacts {
  body?: z.ZodType;
  query?: z.ZodType;
  params?: z.ZodType;
  price: Price<never> | null;
  /** What it costs who pays per request (x402): the price, unless the row says otherwise. */
  payerPrice: Price<never> | null;
  /** What is refused before anything is reserved or paid: it throws. */
  check: ((context: RouteContext<never, never, never>, executor: Executor) => Promise<void> | void) | null;
  response: z.ZodType;
  /** null: what serves it is not part of this installation, and it answers 503. */
  handle: ((context: RouteContext<never, never, never>) => unknown) | null;
  /**
   * The answer once more, from what the charge bought: for who asks again after the process died that bought it, before its
   * answer was stored. null where none can be made.
   */
  again: ((context: PaidContext<never, never, never>) => Promise<unknown>) | null;
}

type Optional = 'credential' | 'scope' | 'x402' | 'limit' | 'idempotent' | 'status' | 'raw' | 'stream';

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
  payerPrice?: Price<z.output<Body>>;
  check?: (
    context: RouteContext<z.output<Body>, z.output<Query>, z.output<Params>>,
    executor: Executor,
  ) => Promise<void> | void;
  response: Response;
  handle:
    | ((
        context: RouteContext<z.output<Body>, z.output<Query>, z.output<Params>>,
      ) => z.input<Response> | RawAnswer | Promise<z.input<Response> | RawAnswer>)
    | null;
  again?:
    | ((
        context: PaidContext<z.output<Body>, z.output<Query>, z.output<Params>>,
      ) => Promise<z.input<Response> | null>)
    | null;
}

/** Ties the handler's types to the schemas, and fills in what most rows have in common. */
export function route<
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>({ price, payerPrice = price, check, again, ...row }: TypedRow<Body, Query, Params, Response>): Route {
  return {
    credential: 'account',
    scope: null,
    x402: false,
    limit: row.method === 'get' ? 'reads' : 'writes',
    idempotent: price !== undefined,
    status: 200,
    raw: false,
    stream: false,
    price: price ?? null,
    payerPrice: payerPrice ?? null,
    check: check ?? null,
    again: again ?? null,
    ...row,
  };
}

/** What a body costs. */
export async function costOf<Body>(
  price: Price<Body>,
  body: Body,
  principal: Principal | null,
): Promise<{ units: number; credits: number }> {
  const units = price.units?.(body) ?? 1;
  const rate = price.rate ? await price.rate(body, principal) : price.credits;
  return { units, credits: rate * units };
}
