import type { Identity } from './Identity.ts';
import type { AccountPrincipal, Principal } from './Principal.ts';

/** The principal on routes that require an account. The route table guarantees it, so any other principal is a programming error. */
export function signedIn(principal: Principal | null): AccountPrincipal {
  if (!principal) throw new Error('a route without a credential uses its principal');
  if (principal.kind === 'x402') throw new Error('a route that can be paid per request requires an account');
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
