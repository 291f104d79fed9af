import type { Identity } from '../identity/SessionService.ts';
import type { Principal } from './Principal.ts';

/** On rows that ask for a credential there is one: the route table has seen to it. */
export function signedIn(principal: Principal | null): Principal {
  if (!principal) throw new Error('a row without a credential asks who sends it');
  return principal;
}

/** On rows for dashboard sessions. */
export function sessionOf(principal: Principal | null): Identity {
  if (principal?.kind !== 'session') throw new Error('a row for sessions was served to something else');
  return principal.session;
}
