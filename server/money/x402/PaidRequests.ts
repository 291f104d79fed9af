import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { networkOf } from '../../../platform/limits/subnets.ts';
import type { Database } from '../../../platform/database/database.ts';
import { executeRoute, type ExecutedRoute } from '../executeRoute.ts';
import { inProgress, keyReused, type Funding } from '../Funding.ts';
import { idempotencyKeyOf } from '../idempotency/idempotencyKeyOf.ts';
import type { PayerPrincipal } from '../../http/Principal.ts';
import { bodyHashOf } from '../../http/readBody.ts';
import type { Cost, Route, RouteContext } from '../../http/Route.ts';
import type { ChainVerifier, PaymentOutcome } from './ChainVerifier.ts';
import { textOf, type Offers } from './Offers.ts';
import { PaymentRefused } from './PaymentRefused.ts';
import { superseded, type ReadPayment, type X402Payments } from './X402Payments.ts';
import { hashesOf, mismatchOf, readPayment, type Payment, type RequestHashes } from './readPayment.ts';
import type { PaymentRow } from './tables.ts';

interface PaidRequestsDeps {
  db: Database;
  offers: Offers;
  verifier: ChainVerifier;
  store: X402Payments;
  leaseMs: number;
  publicUrl: string;
  log: Logger;
}

type Context = RouteContext<never, never, never>;

/** A validated request to a route that accepts payment per request. */
export interface PaidRequest {
  row: Route;
  context: Context;
  response: Response;
  /**
   * The route's check, which also refuses a request that costs nothing: it may now be free, or its goods are no longer sold. It runs before
   * the payment is settled, and is not repeated once the request is paid.
   */
  check: () => Promise<void>;
  /** Counts the request against the payer's rate limit, after the payer is verified. */
  admit: (payer: Address) => Promise<void>;
  /** Called as soon as the payer is verified. */
  onKnown: (principal: PayerPrincipal) => void;
}

/** A request with its price and its payment. */
interface Bill {
  request: PaidRequest;
  payment: Payment;
  cost: Cost;
  hashes: RequestHashes;
}

/**
 * Serves requests that are paid per request (x402), always in this order: store a row with the status `settling`, settle the payment,
 * execute the route, which stores the answer with the payment. If a request is repeated with the same signature, it gets the stored answer. If it was paid but not answered,
 * the work is done then. Before a payment is sent again, its outcome is read from the chain.
 */
export class PaidRequests {
  readonly #deps: PaidRequestsDeps;

  constructor(deps: PaidRequestsDeps) {
    this.#deps = deps;
  }

  /** The error for a request without a credential, with the price and the ways to pay. */
  async required(row: Route, credits: number, response: Response): Promise<ParleyError> {
    const accepts = await this.#deps.offers.accepts(credits);
    const message =
      'The request has no credential. Send one, or pay for the request with PAYMENT-SIGNATURE (x402).';
    return this.#demand({
      row,
      response,
      accepts,
      error: 'payment_required',
      reason: 'missing_payment',
      message,
    });
  }

  /** @throws ParleyError payment_failed, and errors of the handler */
  async serve(request: PaidRequest, cost: Cost): Promise<ExecutedRoute> {
    const { row, response, context } = request;
    const { 'payment-signature': header } = context.request.headers;
    const key = idempotencyKeyOf(context.request);
    try {
      const payment = readPayment(String(header));
      // The route's own path, because `/lookup/` and `/Lookup` are the same. No paid route has parameters in it: see mountRoutes.
      const route = { method: context.origin.method, path: `/api/v1${row.path}` };
      const hashes = hashesOf(route, bodyHashOf(context.request), key, payment);
      const bill = { request, payment, cost, hashes };
      const earlier = await this.#deps.store.read(payment);
      return await (earlier ? this.#resume(earlier, bill) : this.#begin(bill));
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      if (cost.credits === 0) await request.check();
      const { reason, message } = error;
      const accepts = await this.#deps.offers.accepts(cost.credits);
      throw await this.#demand({ row, response, accepts, error: 'payment_failed', reason, message });
    }
  }

  /**
   * Finds the outcome of a payment whose request was lost and not repeated, or which failed while its signature could still be used: the
   * transfer may have been sent nevertheless.
   * @returns the milliseconds after which to check again; null if the outcome is known
   */
  async resolveLost(id: string): Promise<number | null> {
    const { store, verifier, leaseMs, log } = this.#deps;
    const row = await store.read(id);
    if (row?.status !== 'settling' && row?.status !== 'failed') return null;
    if (!row.isFree) return leaseMs;
    const found = await verifier.getOutcome(row, { waits: false });
    // One minute of tolerance, because blocks have their own timestamps, which can differ from our clock.
    const leftMs = row.validForMs + 60_000;
    if (found.outcome === 'paid') await store.settled(id, found.tx);
    else if (found.outcome !== 'spent' && leftMs >= 0) return leftMs + 1_000;
    else if (row.status === 'failed') return null;
    else await store.failed(id, found.outcome === 'spent' ? 'authorization_spent' : 'authorization_expired');
    log.info({ payment: id, outcome: found.outcome }, 'payment of a lost request resolved');
    return null;
  }

  async #begin(bill: Bill): Promise<ExecutedRoute> {
    const { store, verifier, offers } = this.#deps;
    const { payment, request, hashes } = bill;
    const earlier = hashes.key === null ? null : await store.readKeyed(payment.payer, hashes.key);
    if (!earlier) await request.check();
    const requirements = await this.#requirementsOf(bill);
    const sinceBlock = await orUndecided(verifier.height(payment.network));
    await offers.verify(payment, requirements);
    await request.admit(payment.payer);
    if (earlier) return this.#join(earlier, bill);
    const row = await store.create(newRow(bill, requirements, sinceBlock));
    if (row) return this.#work(row, bill, { isFirst: true });
    const first = await store.read(payment);
    if (!first) throw inProgress('Idempotency-Key');
    return this.#resume(first, bill);
  }

  /**
   * Answers a request whose payer has already paid for its Idempotency-Key with an earlier payment, as x402's clients sign a new payment for
   * each call. The new payment is not used, unless the earlier one turns out to have failed.
   */
  async #join(earlier: ReadPayment, bill: Bill): Promise<ExecutedRoute> {
    const { store } = this.#deps;
    if (earlier.bodyHash !== bill.hashes.body) throw keyReused();
    const stored = this.#replayed(earlier, bill);
    if (stored) return stored;
    if (!earlier.isFree) throw inProgress('Idempotency-Key');
    if (earlier.status === 'settling') {
      const openMs = await orUndecided(this.resolveLost(earlier.id));
      if (openMs !== null) throw undecided();
      return this.#begin(bill);
    }
    const taken = await store.take(earlier.id);
    if (!taken) throw inProgress('Idempotency-Key');
    return this.#work(taken, bill, { isFirst: false });
  }

  #replayed(row: ReadPayment, bill: Bill): ExecutedRoute | null {
    const stored = this.#deps.store.answerOf(row);
    if (!stored) return null;
    this.#introduce(row, bill.request);
    return { ...stored, replayed: true, spent: null };
  }

  /** The requirements that the payment meets. @throws PaymentRefused if it meets none */
  async #requirementsOf({ payment, cost }: Bill): Promise<PaymentRequirements> {
    const { offers } = this.#deps;
    const accepts = await offers.accepts(cost.credits);
    const requirements = await offers.match(accepts, payment);
    if (requirements) return requirements;
    throw new PaymentRefused(
      mismatchOf(accepts, payment),
      'The payment does not match the requirements. Sign one that `accepts` lists.',
    );
  }

  /** Continues a request whose signature was already received. */
  async #resume(row: ReadPayment, bill: Bill): Promise<ExecutedRoute> {
    const { store } = this.#deps;
    const { context, admit } = bill.request;
    // Anyone can read a used signature from the chain. So the sender must also be in the same network, or send the same Idempotency-Key,
    // which is part of the hash.
    const isTheirs = row.sender === networkOf(context.origin.ip) || bill.hashes.key !== null;
    if (row.requestHash !== bill.hashes.request || !isTheirs || row.repeatableForMs <= 0)
      throw new PaymentRefused(
        'payment_already_used',
        'This payment was used for another request, or from another network. To repeat a request, send it unchanged from the same network, or from anywhere if it had an Idempotency-Key. For another request, sign a new payment.',
      );
    if (row.failure === superseded)
      throw new PaymentRefused(
        'payment_already_used',
        'This payment failed, and another one has paid for its Idempotency-Key. Send that one, or sign a new payment.',
      );
    await admit(row.payer);
    const taken = row.status === 'done' ? null : await store.take(row.id);
    if (taken) return this.#work(taken, bill, { isFirst: false });
    const current = await store.read(row.id);
    const stored = current && this.#replayed(current, bill);
    if (!stored) throw inProgress('payment');
    return stored;
  }

  /** Settles the payment, unless that is already done, and then executes the route. The calling code must hold the payment's lease. */
  async #work(row: PaymentRow, bill: Bill, { isFirst }: { isFirst: boolean }): Promise<ExecutedRoute> {
    const { store, log, leaseMs, db } = this.#deps;
    const { request } = bill;
    const settle = () => this.#settle(row, bill, isFirst);
    try {
      const tx = row.status === 'settled' && row.tx ? row.tx : await store.leases.whileHeld(row, settle);
      const principal = this.#introduce({ ...row, tx }, request);
      const context = { ...request.context, principal };
      return await executeRoute(request.row, context, this.#fundingOf(row), {
        db,
        shared: null,
        leaseMs,
      });
    } catch (error) {
      await store.leases.release(row).catch((err: unknown) => {
        log.warn({ err, payment: row.id }, 'releasing the lease of a payment failed');
      });
      throw error;
    }
  }

  /** The payment has been claimed and settled before the route is executed. After a failure, it stays paid, and #work() ends its lease. */
  #fundingOf(row: PaymentRow): Funding {
    const { store } = this.#deps;
    const { id, units, credits } = row;
    return {
      // What was paid: the price may have changed since then.
      cost: { units, credits },
      claim: () => Promise.resolve(null),
      charge: () => Promise.resolve({ id, credits, balance: null, reservationId: null }),
      renew: async () => (await store.leases.renew(row)) !== null,
      finish: async (tx, answer) => {
        if (!(await store.answered(tx, row, answer))) throw inProgress('payment');
      },
      fail: () => Promise.resolve(),
    };
  }

  /** @returns the hash of the paying transaction */
  async #settle(row: PaymentRow, bill: Bill, isFirst: boolean): Promise<`0x${string}`> {
    const { offers, store, log } = this.#deps;
    if (!isFirst) {
      const known = await this.#outcomeOf(row);
      if (known.outcome === 'paid') return this.#paid(row, known.tx);
      if (known.outcome === 'spent') return this.#unpaid(row, 'authorization_spent');
      if (known.outcome === 'pending') throw undecided();
      await bill.request.check();
    }
    const requirements = await this.#requirementsOf(bill);
    let refused: SettleResponse | null = null;
    let problem: unknown = null;
    try {
      const result = await offers.settle(bill.payment, requirements);
      if (result.success) return await this.#paid(row, result.transaction as `0x${string}`);
      refused = result;
    } catch (error) {
      problem = error;
      log.warn({ err: error, payment: row.id }, 'settling a payment failed');
    }
    const sent = refused?.transaction ?? textOf(problem, 'transaction');
    if (isHash(sent)) await store.signed(row, sent);
    // The facilitator's answer is not enough: only the chain has the actual outcome.
    const after = await this.#outcomeOf((await store.read(row.id)) ?? row);
    if (after.outcome === 'paid') return this.#paid(row, after.tx);
    if (after.outcome === 'spent') return this.#unpaid(row, 'authorization_spent');
    const reason = refused?.errorReason ?? textOf(problem, 'errorReason');
    if (after.outcome === 'open' && reason !== null && !isHash(sent) && !maybeSent.test(reason))
      return this.#unpaid(row, reason);
    throw undecided(problem);
  }

  #outcomeOf(row: PaymentRow): Promise<PaymentOutcome> {
    return orUndecided(this.#deps.verifier.getOutcome(row, { waits: true }));
  }

  async #paid({ id, payer, network, amount }: PaymentRow, tx: `0x${string}`): Promise<`0x${string}`> {
    await this.#deps.store.settled(id, tx);
    this.#deps.log.info({ payment: id, payer, network, amount, tx }, 'payment settled');
    return tx;
  }

  async #unpaid({ id }: PaymentRow, reason: string): Promise<never> {
    await this.#deps.store.failed(id, reason);
    throw new PaymentRefused(reason);
  }

  /**
   * Reports the verified payer, and adds the payment's receipt to the answer. Called before the work, so that even an error answer contains
   * the receipt.
   */
  #introduce({ id, payer, tx, network }: PaymentRow, { response, onKnown }: PaidRequest): PayerPrincipal {
    const principal = { kind: 'x402', payer, paymentId: id } as const;
    onKnown(principal);
    const receipt = { success: true, transaction: tx ?? '', network: network as `eip155:${string}`, payer };
    response.setHeader('PAYMENT-RESPONSE', encodePaymentResponseHeader(receipt));
    return principal;
  }

  async #demand({ row, response, accepts, error, reason, message }: Demand): Promise<ParleyError> {
    const { offers, publicUrl } = this.#deps;
    const quote = await offers.quote(accepts, `${publicUrl}/api/v1${row.path}`, row.summary, reason);
    response.setHeader('PAYMENT-REQUIRED', encodePaymentRequiredHeader(quote));
    return new ParleyError('INSUFFICIENT_BALANCE', message, { reason: error, extra: { reason, accepts } });
  }
}

interface Demand {
  row: Route;
  response: Response;
  accepts: PaymentRequirements[];
  error: 'payment_required' | 'payment_failed';
  reason: string;
  message: string;
}

function newRow(
  { request, payment, cost, hashes }: Bill,
  requirements: PaymentRequirements,
  sinceBlock: number,
) {
  const { network, asset, payer, nonce, validBefore } = payment;
  const { method, path, ip } = request.context.origin;
  return {
    network,
    asset,
    payer,
    nonce,
    validBefore,
    ...cost,
    method,
    path,
    sinceBlock,
    payTo: requirements.payTo as `0x${string}`,
    amount: Number(requirements.amount),
    service: request.row.payerPrice?.service ?? '',
    requestHash: hashes.request,
    keyHash: hashes.key,
    bodyHash: hashes.key === null ? null : hashes.body,
    sender: networkOf(ip),
  };
}

/** The reasons of a refusal after which the transfer may be on its way: it was sent, or the payment's nonce is already used. */
const maybeSent = /pending|timed?.?out|nonce|already|duplicate/i;
const isHash = (text: string | null): text is `0x${string}` => /^0x[0-9a-f]{64}$/i.test(text ?? '');

/** Converts errors of an RPC to a 503, because they are not the payer's fault. */
async function orUndecided<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw cause instanceof ParleyError ? cause : undecided(cause);
  }
}

const undecided = (cause?: unknown) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'The outcome of the payment is not known yet. Send the same request again, with the same signature or the same Idempotency-Key; it is not paid twice.',
    { retryAfter: 3, cause },
  );
