import type { Request, Response } from 'express';
import { safeParse } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { PaidRequests } from '../money/x402/PaidRequests.ts';
import { subnetsOf } from '../../platform/limits/subnets.ts';
import { notServed, type ExecutedRoute } from '../money/executeRoute.ts';
import type { PayerPrincipal, RequestOrigin } from '../http/Principal.ts';
import type { RateLimits } from '../http/RateLimits.ts';
import { readBody } from '../http/readBody.ts';
import { costOf, type Route } from '../http/Route.ts';
import { contextOf } from '../http/validate.ts';

interface PaidServing {
  paidRequests: PaidRequests;
  limits: RateLimits;
  /** Runs the queries of checks before the payment. */
  executor: Executor;
  onKnown: (principal: PayerPrincipal) => void;
}

/**
 * Serves a request without Authorization on a route that can be paid per request. If it has no payment, the answer is always the price.
 * If it has one, the whole request is checked before the payment is used.
 */
export async function servePaid(
  row: Route,
  request: Request,
  response: Response,
  origin: RequestOrigin,
  { paidRequests, limits, executor, onKnown }: PaidServing,
): Promise<ExecutedRoute> {
  // The payment is not verified yet, so the request is counted by network.
  const subnets = subnetsOf(request.ip ?? '');
  await limits.consumeUnknown('auth', subnets, response);
  if (request.headers['payment-signature'] === undefined)
    throw await paidRequests.required(row, await creditsAskedFor(row, request, response), response);
  await readBody(request, response);
  const context = contextOf(row, request, origin, null);
  if (!row.handle && !row.work) throw notServed();
  const cost = await costFor(row, context.body);
  const check = async () => {
    await row.check?.(context as never, executor);
    if (cost.credits === 0) throw costsNothing();
  };
  const admit = (payer: string) => limits.consume(row.limit, payer, subnets, response);
  return paidRequests.serve({ row, context: context as never, response, check, admit, onKnown }, cost);
}

const costFor = async (row: Route, body: unknown) =>
  row.payerPrice ? costOf(row.payerPrice, body as never, null) : { units: 0, credits: 0 };

/** The price to quote. If the body cannot be read or is not valid, this is the price of one unit. */
async function creditsAskedFor(row: Route, request: Request, response: Response): Promise<number> {
  const isRead = await readBody(request, response).then(
    () => true,
    () => false,
  );
  const ofOne = row.payerPrice?.credits ?? 0;
  const body = isRead && row.body ? safeParse(row.body, request.body) : null;
  if (!body?.success) return ofOne;
  const { credits } = await costFor(row, body.data);
  return credits === 0 ? ofOne : credits;
}

const costsNothing = () => {
  const message = 'This request costs nothing, so it cannot be paid for. Use an API key or a session.';
  return new ParleyError('VALIDATION_ERROR', message, {
    details: [{ path: '', code: 'nothing_to_pay', message }],
  });
};
