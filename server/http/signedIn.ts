import type { Identity } from './Identity.ts';
import type { AccountPrincipal, Principal } from './Principal.ts';

/** On rows that ask for a credential there is one: the route table has seen to it. Rows that may be paid per request ask for more. */
export function signedIn(principal: Principal | null): AccountPrincipal {
  if (!principal) throw new Error('a row without a credential asks who sends it');
  if (principal.kind === 'x402') throw new Error('a row that may be paid per request asks for an account');
  return principal;
}

/** On rows for dashboard sessions. */
export function sessionOf(principal: Principal | null): Identity {
  if (principal?.kind !== 'session') throw new Error('a row for sessions was served to something else');
  return principal.session;
}

/** The account that asks; null for a one-off payer, and where nobody has to sign in. */
export const accountIdOf = (principal: Principal | null): string | null =>
  principal && 'accountId' in principal ? principal.accountId : null;
