import type { WireProvisionedXmpp } from '../../protocol/xmpp.ts';
import type { HttpClient } from './HttpClient.ts';
import type { NewXmppAccount, SpendOptions, XmppAccount } from './phoneTypes.ts';

/** Accounts on the operator's XMPP server: `client.xmpp`. */
export class Xmpp {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /**
   * Creates an XMPP account. Store its password, which is not shown again. Needs the scope numbers:buy.
   * @param account.username 3 to 32 characters: a-z, 0-9, dot, underscore and hyphen. Default: a generated name
   * @param account.numberId the id of the phone number from which this XMPP account sends texts. Default: none
   * @param options an idempotency key, with which the request is run only once. Default: a new key
   * @returns the account with its password
   * @throws ParleyError MISSING_SCOPE: the API key lacks the scope, or this is an app session (`missing_scope`)
   * @throws ParleyError VALIDATION_ERROR: `username` has another form, or the account does not own the number `numberId`
   * @throws ParleyError CONFLICT: the name is taken (`username_taken`)
   * @throws ParleyError INSUFFICIENT_BALANCE: the account has too few credits (`insufficient_credits`)
   * @throws ParleyError SERVICE_UNAVAILABLE: the server has no XMPP, or the XMPP server does not answer (`upstream_error`)
   */
  provision(account: NewXmppAccount = {}, { idempotencyKey }: SpendOptions = {}): Promise<XmppAccount> {
    return this.#http.once<WireProvisionedXmpp>('/xmpp/provision', account, idempotencyKey);
  }
}
