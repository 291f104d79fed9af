import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { ProviderClaims } from './ProviderTokens.ts';

const freshForMs = 10 * 60_000;

/**
 * Checks that a provider's token was issued in the last ten minutes.
 * @param purpose what the token is for, in the words of the error
 * @throws ParleyError AUTHENTICATION_REQUIRED
 */
export function mustBeFresh({ issuedAt }: ProviderClaims, purpose: string): void {
  if (Math.abs(Date.now() - issuedAt.getTime()) <= freshForMs) return;
  const message = `The token was issued too long ago to ${purpose}. Sign in at the provider again.`;
  throw new ParleyError('AUTHENTICATION_REQUIRED', message);
}
