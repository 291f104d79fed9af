/** A refused payment. The payer gets the reason and the accepted ways to pay. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  /** The machine-readable reason. If x402 has a name for it, this is that name. */
  readonly reason: string;

  constructor(reason: string, message = `The payment was refused: ${reason}.`) {
    super(message);
    this.reason = reason;
  }
}
