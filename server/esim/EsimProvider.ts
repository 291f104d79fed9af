import type { WireEsimPackage } from '../../sdk/protocol/esim.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';

/** The data that a phone needs to download its eSIM (GSMA SGP.22). */
export interface EsimProfile {
  iccid: string;
  smdpAddress: string;
  matchingId: string;
}

export interface EsimPurchase {
  /** Our id (`ord_…`), by which the provider can be asked for the order later. */
  reference: string;
  packageId: string;
  quantity: number;
  email: string | null;
}

/** The port that the driver of every provider implements (loopback, Airalo). */
export interface EsimProvider {
  readonly name: string;
  /** The packages on sale, with our prices. */
  packages(): Promise<WireEsimPackage[]>;
  /**
   * Places an order once.
   * @throws EsimRefused if it is certain that nothing was bought. After any other error the outcome is unknown: the order is never
   *   repeated, and find() returns the outcome.
   */
  order(purchase: EsimPurchase): Promise<EsimProfile[]>;
  /**
   * The profiles bought with this reference; null if the provider knows no such order.
   * @throws if the provider cannot be asked
   */
  find(reference: string): Promise<EsimProfile[] | null>;
}

/** Thrown if it is certain that nothing was bought. */
export class EsimRefused extends Error {
  /** The error for the client. */
  readonly answer: ParleyError;

  constructor(answer: ParleyError) {
    super(answer.message, { cause: answer });
    this.name = 'EsimRefused';
    this.answer = answer;
  }
}

export const outOfStock = () =>
  new ParleyError(
    'CONFLICT',
    'Not enough eSIMs of this package are left. Reduce the quantity or choose another package.',
    { reason: 'out_of_stock' },
  );
