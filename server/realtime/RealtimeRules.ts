import type { BackendRules } from '../../signaling/createSignaling.ts';
import { ParleyError } from '../../sdk/protocol/errors.ts';
import type { PartyId } from '../../sdk/protocol/party.ts';
import type { AccountPrincipal } from '../http/Principal.ts';

/** The rules of rooms, streams, calls and recordings, for the routes. The route table is created before the rules. */
export class RealtimeRules {
  #rules: BackendRules | null = null;

  open(rules: BackendRules): void {
    this.#rules = rules;
  }

  /** @throws ParleyError SERVICE_UNAVAILABLE while the server starts */
  get current(): BackendRules {
    if (this.#rules) return this.#rules;
    throw new ParleyError('SERVICE_UNAVAILABLE', 'The server is starting. Try again in a moment.', {
      retryAfter: 1,
    });
  }
}

/** The host of what an account creates: its wallet, or the account itself if it has none. */
export function hostOf(principal: AccountPrincipal): PartyId {
  const wallet = principal.kind === 'key' ? principal.account.wallet : principal.session.wallet;
  return wallet ?? `account:${principal.accountId}`;
}
