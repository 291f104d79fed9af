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
   * @param account.username 3 to 32 characters: a-z, 0-9, dot, underscore and hyphen. @default a generated name
   * @param account.numberId the id of the phone number from which this XMPP account sends texts. @default none
   * @throws ParleyError MISSING_SCOPE, NOT_FOUND (no such number), CONFLICT (`username_taken`), INSUFFICIENT_BALANCE, SERVICE_UNAVAILABLE
   * (the server has no XMPP)
   */
  provision(account: NewXmppAccount = {}, { idempotencyKey }: SpendOptions = {}): Promise<XmppAccount> {
    return this.#http.once<WireProvisionedXmpp>('/xmpp/provision', account, idempotencyKey);
  }
}
