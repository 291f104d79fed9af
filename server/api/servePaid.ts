import type { Request, Response } from 'express';
import { safeParse } from '../../sdk/protocol/common.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { PaidRequests } from '../money/x402/PaidRequests.ts';
import { subnetsOf } from '../../platform/limits/subnets.ts';
import type { ExecutedRoute } from '../money/RouteExecutor.ts';
import type { PayerPrincipal, RequestOrigin } from '../http/Principal.ts';
import type { RateLimits } from '../http/RateLimits.ts';
import { readBody } from '../http/readBody.ts';
import { costOf, type Route } from '../http/Route.ts';
import { contextOf } from '../http/validate.ts';

interface PaidServing {
  paidRequests: PaidRequests;
  limits: RateLimits;
  /** For what is refused before anything is paid. */
  executor: Executor;
  onKnown: (principal: PayerPrincipal) => void;
}

/**
 * A request without Authorization on a row that may be paid for. Without a payment it is told what it costs, whatever it
 * asks; with one, everything that can be wrong with it is found out before the payment is touched.
 */
export async function servePaid(
  row: Route,
  request: Request,
  response: Response,
  origin: RequestOrigin,
  { paidRequests, limits, executor, onKnown }: PaidServing,
): Promise<ExecutedRoute> {
  // Nobody has proved anything yet.
  const subnets = subnetsOf(request.ip ?? '');
  await limits.consumeUnknown('auth', subnets, response);
  if (request.headers['payment-signature'] === undefined)
    throw await paidRequests.required(row, await creditsAskedFor(row, request, response), response);
  await readBody(request, response);
  const context = contextOf(row, request, origin, null);
  const { handle } = row;
  if (!handle) throw notServed();
  const check = async () => row.check?.(context as never, executor);
  const cost = await costFor(row, context.body);
  if (cost.credits === 0) {
    await check();
    throw costsNothing();
  }
  const admit = (payer: string) => limits.consume(row.limit, payer, subnets, response);
  return paidRequests.executeRoute(
    { row, handle, context: context as never, response, check, admit, onKnown },
    cost,
  );
}

const costFor = async (row: Route, body: unknown) =>
  row.payerPrice ? costOf(row.payerPrice, body as never, null) : { units: 0, credits: 0 };

/** What can't be read or isn't valid is quoted as one unit. */
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

export const notServed = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'This server has no such service configured.', {
    reason: 'service_unavailable',
  });

const costsNothing = () => {
  const message = 'This costs nothing, so that it can’t be paid for: it takes an API key or a session.';
  return new ParleyError('VALIDATION_ERROR', message, {
    details: [{ path: '', code: 'nothing_to_pay', message }],
  });
};
