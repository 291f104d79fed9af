import type { WireEsimPackage } from '../../sdk/protocol/esim.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/** What makes a phone fetch its eSIM: GSMA SGP.22. */
export interface EsimProfile {
  iccid: string;
  smdpAddress: string;
  matchingId: string;
}

export interface EsimPurchase {
  /** Ours (`ord_…`), and what the provider is asked for later. */
  reference: string;
  packageId: string;
  quantity: number;
  email: string | null;
}

/** Who sells eSIMs: the port every driver fits (loopback, Airalo). */
export interface EsimProvider {
  readonly name: string;
  /** What there is, with our prices. */
  packages(): Promise<WireEsimPackage[]>;
  /**
   * Buys, once. @throws EsimRefused when it was certainly not bought; after anything else nobody knows, and it is never ordered
   * again: find() says
   */
  order(purchase: EsimPurchase): Promise<EsimProfile[]>;
  /** What was bought under this reference; null: nothing that the provider knows of. @throws while it can't be asked */
  find(reference: string): Promise<EsimProfile[] | null>;
}

/** Certainly not bought. */
export class EsimRefused extends Error {
  /** What the client is told. */
  readonly answer: ParleyError;

  constructor(answer: ParleyError) {
    super(answer.message, { cause: answer });
    this.name = 'EsimRefused';
    this.answer = answer;
  }
}

export const outOfStock = () =>
  new ParleyError('CONFLICT', 'There are not so many of this package left.', { reason: 'out_of_stock' });
