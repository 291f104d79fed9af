import type { Identity } from './Identity.ts';
import type { AccountPrincipal, Principal } from './Principal.ts';

/** The principal on routes that require an account. The route table guarantees it, so any other principal is a programming error. */
export function signedIn(principal: Principal | null): AccountPrincipal {
  if (!principal) throw new Error('signedIn() was called on a route that does not require authentication');
  if (principal.kind === 'x402') throw new Error('signedIn() was called for a payer without an account');
  return principal;
}

/** The session on routes that require one. */
export function sessionOf(principal: Principal | null): Identity {
  if (principal?.kind !== 'session') throw new Error('a route for sessions was served without a session');
  return principal.session;
}

/** The sender's account; null for an x402 payer and for a request without a credential. */
export const accountIdOf = (principal: Principal | null): string | null =>
  principal && 'accountId' in principal ? principal.accountId : null;
