/** A refused payment. The payer gets the reason and the accepted ways to pay. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  /** Machine-readable reason: x402's own name for it, if x402 has one. */
  readonly reason: string;

  constructor(reason: string, message = `The payment was refused: ${reason}.`) {
    super(message);
    this.reason = reason;
  }
}
