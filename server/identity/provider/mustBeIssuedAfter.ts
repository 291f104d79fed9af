import { ParleyError } from '../../../sdk/protocol/errors.ts';
import type { ProviderClaims } from './ProviderTokens.ts';

/**
 * Checks that a provider's token was issued after its identity was last unlinked from an account. The times in tokens are whole seconds, so
 * one that was issued in the same second is refused, too: the user signs in at the provider once more.
 * @param unlinkedAt null if the identity was never unlinked
 * @throws ParleyError AUTHENTICATION_REQUIRED
 */
export function mustBeIssuedAfter({ issuedAt }: ProviderClaims, unlinkedAt: Date | null): void {
  if (unlinkedAt === null || issuedAt > unlinkedAt) return;
  const message =
    'This identity was unlinked from its account after the token was issued. Sign in at the provider again.';
  throw new ParleyError('AUTHENTICATION_REQUIRED', message);
}
