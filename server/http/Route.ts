import type { Request } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { KeyScope } from '../../sdk/protocol/http.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { RawAnswer } from './RawAnswer.ts';
import type { Principal, RequestOrigin } from './Principal.ts';
import type { LimitName } from './RateLimits.ts';

export interface RouteContext<Body, Query, Params> {
  body: Body;
  query: Query;
  params: Params;
  /** The sender; null if an open route did not authenticate one, and while `check` and `rate` run for a request paid by x402. */
  principal: Principal | null;
  origin: RequestOrigin;
  /** The reserved or paid credits, for the `handle` of a route with a price. */
  charge: Charge | null;
  /** The status of the answer. A handler may set another success status. */
  answer: { status: number };
  request: Request;
  log: Logger;
}

export interface Charge {
  /**
   * Id of the purchase: the id of the reservation or of the x402 payment. If a request runs again after its process died, it has the same
   * id if it was paid. A handler that finds its purchase under this id answers with that purchase.
   */
  id: string;
  credits: number;
  /** The reservation; null for an x402 payment. It is captured with the answer, unless the handler has captured it before. */
  reservationId: string | null;
  /** The remaining balance; null for an x402 payment. */
  balance: number | null;
}

/**
 * The transaction of a route's `work`. It also claims the Idempotency-Key, debits the price and stores the answer. So after a crash, either
 * all of it has happened and a retry gets the answer, or nothing has.
 */
export interface UnitOfWork {
  tx: Executor;
  /**
   * Debits the price; called after all checks. Further calls return the same charge. null if the request is free.
   * @throws ParleyError INSUFFICIENT_BALANCE
   */
  pay: () => Promise<Charge | null>;
  /** Registers an action for after the commit. */
  afterCommit: (act: () => void) => void;
}

/** What a request costs. */
export interface Cost {
  units: number;
  credits: number;
}

/** The price of a request: `credits` per unit, times the number of units that `units` finds in the body (one if it is not set). */
export interface Price<Body> {
  service: string;
  /** Credits per unit; with `rate`, the lowest possible value. */
  credits: number;
  unit: string;
  /** Credits per unit, if they depend on the request: on the destination of a text or the type of a number. */
  rate?: (body: Body, principal: Principal | null) => number | Promise<number>;
  units?: (body: Body) => number;
}

interface RouteFacts {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Relative to /api/v1. */
  path: string;
  summary: string;
  /**
   * `none`: open to everybody. `optional`: open, but a given credential is checked. `account`: an API key (with the scope) or a session.
   * `session`: an app or dashboard session. `dashboard`: only a dashboard session. `operator`: only a dashboard session of a wallet in
   * OPERATOR_WALLETS.
   */
  credential: 'none' | 'optional' | 'account' | 'session' | 'dashboard' | 'operator';
  /** The scope an API key needs; null if any key may use the route. */
  scope: KeyScope | null;
  /** Whether the route can be paid per request (x402), without an account. */
  x402: boolean;
  /** The rate limit that applies to the requests. */
  limit: LimitName;
  /** Whether the route honours Idempotency-Key. Routes with a price always do. */
  idempotent: boolean;
  status: number;
  /** Other statuses of answers that are no errors, with what they mean. */
  otherStatuses: Record<number, string>;
  /** Whether the handler gets the body as a Buffer, for senders that sign the raw bytes. */
  raw: boolean;
  /** Whether the handler reads the body from the request itself, as a stream. Such routes have no Idempotency-Key. */
  stream: boolean;
  /** Whether the work of requests that arrive together runs in one transaction. See SharedTransactions for what such a work may do. */
  isShared: boolean;
}

/** One row of the route table. Create it with route(). */
export interface Route extends RouteFacts {
  body?: z.ZodType;
  query?: z.ZodType;
  params?: z.ZodType;
  price: Price<never> | null;
  /** The price per request for x402 payers; defaults to `price`. */
  payerPrice: Price<never> | null;
  /**
   * Checks the request before anything is reserved or paid, and throws to refuse it. It runs outside of transactions, so it may ask a
   * provider. It also runs for a repeated request, which gets its stored answer even if it would now be refused. `work` checks the
   * request itself, since a refusal rolls it back; its row needs a check only if it can be paid by x402.
   */
  check: ((context: RouteContext<never, never, never>, executor: Executor) => Promise<void> | void) | null;
  response: z.ZodType;
  /**
   * Answers the request. `handle` and `work` are both null if this installation does not have the service: the route then answers 503. A
   * handler that ends with changes in the database may return them as a function, which runs in the transaction that stores its answer.
   */
  handle: ((context: RouteContext<never, never, never>) => unknown) | null;
  /** Does all the work and answers the request in one transaction, for routes whose work is in the database alone. */
  work: ((context: RouteContext<never, never, never>, unit: UnitOfWork) => Promise<unknown>) | null;
}

type Optional =
  | 'credential'
  | 'scope'
  | 'x402'
  | 'limit'
  | 'idempotent'
  | 'status'
  | 'otherStatuses'
  | 'raw'
  | 'stream'
  | 'isShared';

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
  handle?:
    | ((
        context: RouteContext<z.output<Body>, z.output<Query>, z.output<Params>>,
      ) => Handled<z.input<Response>> | Promise<Handled<z.input<Response>>>)
    | null;
  work?:
    | ((
        context: RouteContext<z.output<Body>, z.output<Query>, z.output<Params>>,
        unit: UnitOfWork,
      ) => Promise<z.input<Response>>)
    | null;
}

type Handled<Answer> = Answer | RawAnswer | ((tx: Executor) => Promise<Answer>);

/** Creates a route: derives the handler's types from the schemas and fills in defaults. */
export function route<
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Params extends z.ZodType = z.ZodUndefined,
  Response extends z.ZodType = z.ZodType,
>({
  price,
  payerPrice = price,
  check,
  handle = null,
  work = null,
  ...row
}: TypedRow<Body, Query, Params, Response>): Route {
  return {
    credential: 'account',
    scope: null,
    x402: false,
    limit: row.method === 'get' ? 'reads' : 'writes',
    idempotent: price !== undefined,
    status: 200,
    otherStatuses: {},
    raw: false,
    stream: false,
    isShared: false,
    price: price ?? null,
    payerPrice: payerPrice ?? null,
    check: check ?? null,
    handle,
    work,
    ...row,
  };
}

/** How many units a request with this body has, and how many credits they cost. */
export async function costOf<Body>(
  price: Price<Body>,
  body: Body,
  principal: Principal | null,
): Promise<Cost> {
  const units = price.units?.(body) ?? 1;
  const rate = price.rate ? await price.rate(body, principal) : price.credits;
  return { units, credits: rate * units };
}
