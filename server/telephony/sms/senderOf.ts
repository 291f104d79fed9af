import type { Sender } from './TextService.ts';

/** Returns who sends the SMS that a request asks for: an account or an x402 payer. */
export function senderOf(principal: Sender | null): Sender {
  if (!principal) throw new Error('a route without authentication asked for the sender');
  return principal;
}
