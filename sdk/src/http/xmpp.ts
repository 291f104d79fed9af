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
   * Creates an account. Store its password: it is not shown again. Needs the scope numbers:buy.
   * @param account.username 3 to 32 of a-z, 0-9, dot, underscore and hyphen. @default a generated name
   * @param account.numberId the id of your number from which texts are sent. @default none
   * @throws ParleyError MISSING_SCOPE, CONFLICT (`username_taken`), INSUFFICIENT_BALANCE, SERVICE_UNAVAILABLE (the server has no XMPP)
   */
  provision(account: NewXmppAccount = {}, { idempotencyKey }: SpendOptions = {}): Promise<XmppAccount> {
    return this.#http.once<WireProvisionedXmpp>('/xmpp/provision', account, idempotencyKey);
  }
}
