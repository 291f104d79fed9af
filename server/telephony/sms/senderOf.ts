import type { Sender } from './TextService.ts';

/** Whose text a request sends: an account's, or a one-off payer's. */
export function senderOf(principal: Sender | null): Sender {
  if (!principal) throw new Error('a row without a credential asks who sends it');
  return 'accountId' in principal
    ? { accountId: principal.accountId }
    : { payer: principal.payer, paymentId: principal.paymentId };
}
