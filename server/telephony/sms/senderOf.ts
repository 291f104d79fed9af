import type { Sender } from './TextService.ts';

/** The sender of the text that is requested: an account or an x402 payer. */
export function senderOf(principal: Sender | null): Sender {
  if (!principal) throw new Error('a route without authentication asked for the sender');
  return 'accountId' in principal
    ? { accountId: principal.accountId }
    : { payer: principal.payer, paymentId: principal.paymentId };
}
