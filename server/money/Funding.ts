import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { Executor } from '../../platform/database/Executor.ts';
import type { Charge, Cost } from '../http/Route.ts';

export interface StoredAnswer {
  status: number;
  body: unknown;
}

/** The answer of a request that ran before; or its charge, if its process died after the purchase. */
export type Earlier = StoredAnswer | { bought: Charge };

/** How a request is paid, and where its answer is stored so that a repeated request gets it. */
export interface Funding {
  readonly cost: Cost;
  /** Claims the request for this process. @returns null if the request must run */
  claim(tx: Executor): Promise<Earlier | null>;
  /**
   * Takes the price. A debit is final; a reservation lasts until finish() or fail().
   * @returns null if the request is free
   */
  charge(tx: Executor, how: 'debit' | 'reserve'): Promise<Charge | null>;
  /** Renews the lease of a running request. @returns false if the lease is lost */
  renew(): Promise<boolean>;
  /**
   * Stores the answer, and captures what is still reserved.
   * @throws ParleyError claimLost() if another request has claimed this one or the credits were released; the transaction is rolled back
   */
  finish(tx: Executor, answer: StoredAnswer): Promise<void>;
  /**
   * Releases what is reserved for a failed request. Stores its answer if it is final; otherwise the request can be repeated. If its purchase
   * was made before it failed, a repeated request gets the charge of that purchase.
   */
  fail(answer: StoredAnswer, isFinal: boolean): Promise<void>;
}

export const inProgress = (name: 'Idempotency-Key' | 'payment') =>
  new ParleyError('CONFLICT', `A request with this ${name} is still running. Try again in a moment.`, {
    reason: 'idempotency_in_progress',
    retryAfter: 1,
  });

export const keyReused = () =>
  new ParleyError('VALIDATION_ERROR', 'This Idempotency-Key was used with another body. Use a new key.', {
    reason: 'idempotency_key_reused',
  });

/** For a request that went on after its lease had ended, so that its work must not be committed: a repeated request has taken it over. */
export const claimLost = () =>
  new ParleyError('SERVICE_UNAVAILABLE', 'The server was interrupted during this request. Send it again.', {
    retryAfter: 1,
  });
