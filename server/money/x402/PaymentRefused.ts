/** A payment that is none: the one who sent it hears why, and what would be one. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  /** Machine-readable: x402's own names where it has one. */
  readonly reason: string;

  constructor(reason: string, message = `The payment was refused: ${reason}.`) {
    super(message);
    this.reason = reason;
  }
}
