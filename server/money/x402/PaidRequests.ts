import { encodePaymentRequiredHeader, encodePaymentResponseHeader } from '@x402/core/http';
import type { PaymentRequirements, SettleResponse } from '@x402/core/types';
import type { Response } from 'express';
import type { Logger } from 'pino';
import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { Address } from '../../../sdk/protocol/common.ts';
import { networkOf } from '../../../platform/limits/subnets.ts';
import type { ExecutedRoute } from '../RouteExecutor.ts';
import type { PayerPrincipal } from '../../http/Principal.ts';
import { bodyHashOf } from '../../http/readBody.ts';
import type { Route, RouteContext } from '../../http/Route.ts';
import type { ChainVerifier, Testimony } from './ChainVerifier.ts';
import { reasonOf, type Offers } from './Offers.ts';
import { PaymentRefused } from './PaymentRefused.ts';
import type { X402Payments } from './X402Payments.ts';
import { mismatchOf, readPayment, requestHash, type Payment } from './readPayment.ts';
import type { PaymentRow } from './tables.ts';

interface PaidRequestsDeps {
  offers: Offers;
  verifier: ChainVerifier;
  store: X402Payments;
  leaseMs: number;
  publicUrl: string;
  log: Logger;
}

type Context = RouteContext<never, never, never>;

/** A request on a route that may be paid for, with its body and all else checked. */
export interface PaidRequest {
  row: Route;
  handle: NonNullable<Route['handle']>;
  context: Context;
  response: Response;
  /** The row's check. It runs before any money moves; a request that has been paid for, or answered, needs none. */
  check: () => Promise<void>;
  /** Counts the request as this payer's, once it is known to be theirs. */
  admit: (payer: Address) => Promise<void>;
  /** Told as soon as it is known who pays. */
  onKnown: (principal: PayerPrincipal) => void;
}

/** What a request is to be paid with. */
interface Bill {
  request: PaidRequest;
  payment: Payment;
  units: number;
  credits: number;
  hash: string;
}

/**
 * Requests that are paid for by themselves (x402). The order, which is the point of it: a row that says `settling`; the money; the
 * work; the answer, which is kept. Whoever repeats a request with its signature gets the answer that is there, or has the
 * work done where it was paid and not done. What became of the money is asked of the chain before anything is sent again.
 */
export class PaidRequests {
  readonly #deps: PaidRequestsDeps;

  constructor(deps: PaidRequestsDeps) {
    this.#deps = deps;
  }

  /** What to answer whoever brings no credential: what it costs, and how to pay. */
  async required(row: Route, credits: number, response: Response): Promise<ParleyError> {
    const accepts = await this.#deps.offers.accepts(credits);
    const message = 'Send a credential, or pay for this request: PAYMENT-SIGNATURE (x402).';
    return this.#demand({
      row,
      response,
      accepts,
      error: 'payment_required',
      reason: 'missing_payment',
      message,
    });
  }

  /** @throws ParleyError payment_failed, and whatever the handler does */
  async executeRoute(
    request: PaidRequest,
    { units, credits }: { units: number; credits: number },
  ): Promise<ExecutedRoute> {
    const { row, response, context } = request;
    const { 'payment-signature': header, 'idempotency-key': key } = context.request.headers;
    try {
      const payment = readPayment(String(header));
      const hash = requestHash(context.origin, bodyHashOf(context.request), key?.toString() ?? null, payment);
      const bill = { request, payment, units, credits, hash };
      const earlier = await this.#deps.store.find(payment);
      return await (earlier ? this.#resume(earlier, bill) : this.#begin(bill));
    } catch (error) {
      if (!(error instanceof PaymentRefused)) throw error;
      const { reason, message } = error;
      const accepts = await this.#deps.offers.accepts(credits);
      throw await this.#demand({ row, response, accepts, error: 'payment_failed', reason, message });
    }
  }

  /** Finds out what became of a payment whose request is gone and is not repeated. @returns when to look again */
  async lookAfter(id: string): Promise<Date | null> {
    const { store, verifier, log } = this.#deps;
    const row = await store.read(id);
    if (row?.status !== 'settling') return null;
    if (row.leaseUntil.getTime() > Date.now()) return row.leaseUntil;
    const testimony = await verifier.ask(row, { waits: false });
    // Blocks carry times of their own.
    const isOver = row.validBefore.getTime() + 60_000 < Date.now();
    if (testimony.outcome === 'paid') await store.settled(id, testimony.tx);
    else if (testimony.outcome === 'spent') await store.failed(id, 'authorization_spent');
    else if (isOver) await store.failed(id, 'authorization_expired');
    else return new Date(row.validBefore.getTime() + 61_000);
    log.info({ payment: id, outcome: testimony.outcome }, 'payment of a lost request looked after');
    return null;
  }

  async #begin(bill: Bill): Promise<ExecutedRoute> {
    const { store, verifier, offers } = this.#deps;
    const { payment, request } = bill;
    await request.check();
    const requirements = await this.#requirementsOf(bill);
    const sinceBlock = await asked(verifier.height(payment.network));
    await offers.verify(payment, requirements);
    await request.admit(payment.payer);
    const row = await store.create(newRow(bill, requirements, sinceBlock));
    if (row) return this.#work(row, bill, { isFirst: true });
    const first = await store.find(payment);
    if (!first) throw inProgress();
    return this.#resume(first, bill);
  }

  /** What is asked for that this payment is for. @throws PaymentRefused where it is for something else */
  async #requirementsOf({ payment, credits }: Bill): Promise<PaymentRequirements> {
    const { offers } = this.#deps;
    const accepts = await offers.accepts(credits);
    const requirements = await offers.match(accepts, payment);
    if (requirements) return requirements;
    throw new PaymentRefused(mismatchOf(accepts, payment), 'The payment is not what is asked for.');
  }

  /** A signature that was seen before. */
  async #resume(row: PaymentRow, bill: Bill): Promise<ExecutedRoute> {
    const { store } = this.#deps;
    const { context, admit } = bill.request;
    // A signature can be read from the chain. What only its sender knows besides is where they are, and the key they chose.
    const isTheirs = row.sender === networkOf(context.origin.ip) || hasKey(context);
    if (row.requestHash !== bill.hash || !isTheirs || row.expiresAt.getTime() <= Date.now())
      throw new PaymentRefused(
        'payment_already_used',
        'This payment was for another request: sign a new one.',
      );
    await admit(row.payer);
    const taken = row.status === 'done' ? null : await store.take(row.id);
    if (taken) return this.#work(taken, bill, { isFirst: false });
    const current = await store.read(row.id);
    const stored = current && store.answerOf(current);
    if (!current || !stored) throw inProgress();
    this.#introduce(current, bill.request);
    return { ...stored, replayed: true, spent: null };
  }

  /** With the payment's lease: pays, unless it is paid, and has the work done. */
  async #work(row: PaymentRow, bill: Bill, { isFirst }: { isFirst: boolean }): Promise<ExecutedRoute> {
    const { store } = this.#deps;
    const { request, credits, units } = bill;
    const stopKeeping = this.#keep(row.id);
    try {
      const tx = row.status === 'settled' && row.tx ? row.tx : await this.#settle(row, bill, isFirst);
      const principal = this.#introduce({ ...row, tx }, request);
      const context = {
        ...request.context,
        principal,
        charge: { id: row.id, credits, balance: null, reservationId: null },
      };
      const body = await request.handle(context);
      const answer = { status: context.answer.status, body };
      await store.answered(row.id, answer);
      return { ...answer, replayed: false, spent: { units, credits } };
    } catch (error) {
      await store.leave(row.id).catch((err: unknown) => {
        this.#deps.log.warn({ err, payment: row.id }, 'a payment stays leased until its lease ends');
      });
      throw error;
    } finally {
      stopKeeping();
    }
  }

  /** @returns the transaction the money came in */
  async #settle(row: PaymentRow, bill: Bill, isFirst: boolean): Promise<`0x${string}`> {
    const { offers, log } = this.#deps;
    if (!isFirst) {
      const known = await this.#ask(row);
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
      log.warn({ err: error, payment: row.id }, 'a settlement failed');
    }
    // Whatever it says of itself: the chain knows.
    const after = await this.#ask((await this.#deps.store.read(row.id)) ?? row);
    if (after.outcome === 'paid') return this.#paid(row, after.tx);
    if (after.outcome === 'spent') return this.#unpaid(row, 'authorization_spent');
    const reason = refused?.errorReason ?? reasonOf(problem, 'errorReason');
    if (after.outcome === 'open' && reason !== null && reason !== 'settlement_pending')
      return this.#unpaid(row, reason);
    throw undecided(problem);
  }

  #ask(row: PaymentRow): Promise<Testimony> {
    return asked(this.#deps.verifier.ask(row, { waits: true }));
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

  /** From here on it is known who pays, and the answer says what they paid with, whatever comes of the work. */
  #introduce({ id, payer, tx, network }: PaymentRow, { response, onKnown }: PaidRequest): PayerPrincipal {
    const principal = { kind: 'x402', payer, paymentId: id } as const;
    onKnown(principal);
    const receipt = { success: true, transaction: tx ?? '', network: network as `eip155:${string}`, payer };
    response.setHeader('PAYMENT-RESPONSE', encodePaymentResponseHeader(receipt));
    return principal;
  }

  #keep(id: string): () => void {
    const { store, leaseMs, log } = this.#deps;
    const timer = setInterval(() => {
      store
        .keep(id)
        .catch((err: unknown) => log.warn({ err, payment: id }, 'a payment’s lease was not moved on'));
    }, leaseMs / 3);
    return () => clearInterval(timer);
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
  { request, payment, units, credits, hash }: Bill,
  requirements: PaymentRequirements,
  sinceBlock: number,
) {
  const { network, asset, payer, nonce, validBefore } = payment;
  const { method, path, ip } = request.context.origin;
  return {
    ...{ network, asset, payer, nonce, validBefore, units, credits, method, path, sinceBlock },
    payTo: requirements.payTo as `0x${string}`,
    amount: Number(requirements.amount),
    service: request.row.payerPrice?.service ?? '',
    requestHash: hash,
    sender: networkOf(ip),
  };
}

const hasKey = ({ request }: Context) => request.headers['idempotency-key'] !== undefined;

/** An RPC that does not answer is nothing the payer can help. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw cause instanceof ParleyError ? cause : undecided(cause);
  }
}

const undecided = (cause?: unknown) =>
  new ParleyError(
    'SERVICE_UNAVAILABLE',
    'What became of the payment is not known yet: send the same request with the same signature again. It is not paid twice.',
    { reason: 'service_unavailable', retryAfter: 3, cause },
  );

const inProgress = () =>
  new ParleyError('CONFLICT', 'A request with this payment is still running: ask again in a moment.', {
    reason: 'idempotency_in_progress',
    retryAfter: 1,
  });
