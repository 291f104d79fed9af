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
  /** Stores the answer, and captures what is still reserved. */
  finish(tx: Executor, answer: StoredAnswer): Promise<void>;
  /** Releases what is reserved for a failed request. Stores its answer if it is final; otherwise the request can be repeated. */
  fail(answer: StoredAnswer, isFinal: boolean): Promise<void>;
}
